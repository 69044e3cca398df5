import SerialTasks

/// Keeps account of every call of a program, and checks at each event what may happen.
///
/// A job touches keys, shared or alone, or every key: that is all of them. What the account knows of the order is not taken from
/// the library: a place is taken before a call can suspend, so on the one thread of the explorer the order of the calls is the
/// order of the places. Callers of one read are each an entry; the first of them stands for the job.
///
/// On real threads an event is seen a little after what it reports was decided, and two of them in any order. What is asked there
/// is what holds all the same (``isExact``): nothing is forbidden before the call that forbids it was made, and only a job whose
/// place was seen before another was asked for stands ahead of that.
///
/// Safe because all of it is reached only from the one thread that the explorer uses, or under the lock of its world.
final class Account: @unchecked Sendable {
  struct Entry {
    let call: Call
    /// Where it stands: by its own number, or that of the first write that it replaced.
    let place: Int
    /// By the clock, and counted.
    let asked: Int
    let moment: Int
    /// The moment at which it was seen to have its place.
    var placed: Int?
    let priority: UInt8
    /// The jobs in whose turns it waits and runs, in their task.
    let inside: [Int]
    let wasClosed: Bool
    /// The last failure of the engine that had reached a job of its key.
    let failure: Int
    /// A read in a turn of its key, which has no place of its own.
    var isPart = false
    /// How many certainly stood ahead of it when it was asked, on the key where most did.
    var ahead = 0
    /// The write that it certainly stands behind, and the read that it certainly could join, when it was asked.
    var barrier: Int?
    var joinable: Int?
    /// The library's place: that of a read is all its callers'.
    var number: UInt64?
    var hasJoined = false
    var replacement: Int?
    var outcome: Outcome?
    /// What those were told who waited for its handle.
    var told: [Outcome] = []
    /// Events: waits, begun, ended or rejected or replaced, left, held too long.
    var waits = 0
    var begins = 0
    var ends = 0
    var lefts = 0
    var isOverdue = false
    /// By the clock.
    var began: Int?
    var runs = 0
    var hasEnded = false
    /// Cancelled or withdrawn before it had begun: it must not begin any more.
    var mustNotBegin = false
    /// Of a read, its caller was cancelled.
    var mustLeave = false
    var wasCancelled = false
    var wasCleared = false
    /// The moment at which it was.
    var cleared: Int?
    var isToldToStop = false
    var hasHandle = false
    /// The priorities of the tasks that wait for its handle.
    var awaited: [UInt8] = []
    /// Whether nothing but a slot, or a pause, was in its way when everybody else rested.
    var wasReady = false
    /// Whether it may have had its turn when a pause began.
    var mayBeginInPause = false
    var draft: Draft?
    var flight = Flight()
    /// Whether it is reported that it joins or follows, and it does not wait yet.
    var isBoarding = false
    /// When the load began to wait that it runs for.
    var since: Int?

    var touch: Touch { call.touch }
    var isRead: Bool { touch.isShared }
    /// Whether it was called in a turn, and so goes before jobs that have none.
    var isNested = false
    /// Whether it is a read that is not shared.
    var isFirst: Bool { isRead && !call.isFlight && !inside.isEmpty }
    /// Whether no caller waits for its answer.
    var isAhead: Bool { call.way == .ahead }
    var work: Work { call.work }
    var isSubmitted: Bool { call.way != .awaited }
    var isRunning: Bool { begins > 0 && !hasEnded && ends == 0 }
    var deadline: Int? { call.limit.map { asked + $0 } }
    var isRejected: Bool { if case .rejected = outcome { true } else { false } }
    func conflicts(with other: Entry) -> Bool { touch.conflicts(with: other.touch) }
  }

  /// A write that waits for a newer one.
  struct Draft {
    /// When the first of those came that have replaced each other.
    let first: Int
    /// When it begins at the latest, if nothing else is in its way.
    let due: Int
    /// Whether something may have needed it: it then begins without delay.
    var mayBeNeeded = false
  }

  /// How a call was answered.
  enum Outcome: Equatable {
    case returned(Int)
    case failed(ObjectIdentifier)
    case rejected(JobRejection)
    case engine(String)
    case unexpected(String)
  }

  let world: World
  let options: Program.Options
  let clock: FlightClock
  var entries: [Entry] = []
  var isPaused = false {
    didSet {
      if !isPaused || oldValue { return }
      for job in entries.indices where mayHaveTurn(job) { entries[job].mayBeginInPause = true }
    }
  }
  /// Whether a caller of `pauseAndWait` has waited, in this pause, for what runs, which goes on with all that it waits for.
  var awaitsPause = false
  /// The task whose call has not returned: it lets drafts begin before it pauses, and ends the pause when it is cancelled.
  var pauser: String?
  var isPauserCancelled = false
  /// Whether that task is in a turn: its call is rejected, and the pause that it has begun ends.
  var isPauserInside = false
  /// How often a pause was ended.
  var resumes = 0
  /// Those that are being made, on real threads.
  var resuming = 0
  /// What tasks in a turn have awaited, by name, and have drained.
  var awaitedInside: Set<String> = []
  var drainedInside: [String?] = []
  var isClosed = false { didSet { plan?.close() } }
  /// From before it is closed on.
  var isClosing = false
  /// Tasks that are cancelled, or are about to be, and the calls that they wait for or will.
  var cancelled: Set<String> = []
  /// What is being cleared; `nil` is every key.
  var clearing: [String?] = []
  /// What must have no job any more; `nil` is every key.
  var over: [String?] = []
  /// Callers of `drain`, and what they wait for: what was asked for before.
  var drainers: [(number: Int, key: String?, asked: Int, since: Int, priority: UInt8)] = []
  var drains = 0
  /// Who shuts down, and from when on that may end what it finds.
  var closers: [String] = []
  var forced: Int?
  /// Whether one had no time to give: nothing begins any more.
  var isEnded = false
  /// How far the events' instants are from the clock.
  var start: ContinuousClock.Instant?
  /// The task of the last job that began, if it was detached.
  var lastTask: Int?
  var isGranted: (String) -> Bool = { _ in false }
  /// Whether another process has one of the keys, which waits for another key then when everybody rests.
  var isHeldElsewhere: (Touch) -> Bool = { _ in false }
  var mismatch: (Counts) -> String? = { _ in nil }
  /// How many results of prefetches there are, good or not; and how often something was forgotten, or served.
  var shelved: () -> Int = { 0 }
  private var moments = 0
  /// Of loads and renewals, what must become of each call; and how a snapshot differs from that.
  var plan: Plan?
  var replacements = 0
  var planMismatch: (Plan) -> String? = { _ in nil }
  var failure: (Touch) -> Int = { _ in 0 }
  var fails: (_ error: any Error, _ touch: Touch, _ failure: Int) -> Bool = { _, _, _ in false }

  init(_ world: World, _ options: Program.Options) {
    (self.world, self.options) = (world, options)
    clock = FlightClock(world, isHesitant: options.isHesitant)
  }

  var now: Int { clock.milliseconds }

  /// Whether events come in the step in which what they report was decided.
  var isExact: Bool { !world.isReal }

  /// The next moment.
  func tick() -> Int {
    moments += 1
    return moments
  }

  func expect(_ holds: Bool, _ promise: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    world.expect(holds, promise(), detail())
  }

  /// What cannot be asked on real threads.
  func expectExactly(
    _ holds: @autoclosure () -> Bool, _ promise: @autoclosure () -> String, _ detail: @autoclosure () -> String
  ) { if isExact { expect(holds(), promise(), detail()) } }

  func name(_ job: Int) -> String { entries[job].call.name }

  /// Notes a caller of `drain`, or of `pauseAndWait`, for as long as it waits.
  nonisolated(nonsending) func draining<Result>(
    _ key: String?, pauses: Bool = false, _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    let number = world.locked {
      drains += 1
      // A pause raises what runs, and not what waits.
      drainers.append((drains, key, entries.count, now, pauses ? 0 : Task.currentPriority.rawValue))
      return drains
    }
    defer { world.locked { drainers.removeAll { $0.number == number } } }
    return try await body()
  }

  // MARK: Who is who

  /// The callers of the job: its own, and of a read all who joined it.
  func riders(_ job: Int) -> [Int] {
    if let plan { return plan.raising(job) }
    guard entries[job].isRead, let number = entries[job].number else { return [job] }
    return entries.indices.filter { entries[$0].number == number && !entries[$0].isAhead }
  }

  /// Whose operation answers the call.
  func leader(_ call: Int) -> Int {
    if let plan { return plan.fates[call]?.flight.map { max(plan.flights[$0].job, 0) } ?? call }
    guard entries[call].hasJoined else { return call }
    return entries.indices.first { entries[$0].number == entries[call].number && !entries[$0].hasJoined } ?? call
  }

  /// Whether it certainly has a place, and will have its turn.
  func isWaiting(_ job: Int) -> Bool {
    let entry = entries[job]
    guard entry.begins == 0, entry.ends == 0, !entry.isPart, !entry.hasJoined, entry.replacement == nil,
      !entry.mustNotBegin
    else { return false }
    let callers = riders(job)
    // On real threads, what was withdrawn may not have been reported.
    let mayBeGone = !isExact && (callers.contains { entries[$0].wasCleared } || mayBeForced)
    if !isExact, entry.placed == nil || mayBeGone || !entry.inside.isEmpty { return false }
    return callers.contains { isWanting($0) }
  }

  /// Whether a caller certainly waits for an answer.
  func isWanting(_ call: Int) -> Bool {
    let entry = entries[call]
    let mayWait = entry.deadline ?? .max > now || entries[leader(call)].begins > 0
    return entry.outcome == nil && !entry.wasCancelled && !entry.isAhead && mayWait && !isInsideCancelled(call)
  }

  /// Whether the job's place is ahead of that of the other.
  func isPlaced(_ job: Int, before other: Int) -> Bool {
    if isExact { return entries[job].place < entries[other].place }
    return entries[job].placed.map { $0 < entries[other].moment } ?? false
  }

  /// Whether the job goes before the other although it came later.
  func passes(_ job: Int, _ other: Int) -> Bool { entries[job].isNested && !entries[other].isNested }

  /// Whether the job would go before the other if neither had its turn.
  func isBefore(_ job: Int, _ other: Int) -> Bool {
    passes(job, other) || entries[job].place < entries[other].place && !passes(other, job)
  }

  /// Whether the job has its turn, or will have it next.
  private func mayHaveTurn(_ job: Int) -> Bool {
    let entry = entries[job]
    if entry.begins > 0 || riders(job).allSatisfy({ entries[$0].outcome != nil }) { return false }
    return !entries.indices.contains {
      let other = entries[$0]
      guard $0 != job, other.conflicts(with: entry) else { return false }
      // A call in a turn goes before it only if it has none.
      return isRunning($0) || isWaiting($0) && !other.isNested && isBefore($0, job)
    }
  }

  /// Whether a job in whose turn it was called, and whose task it has, may have been cancelled.
  func isInsideCancelled(_ job: Int) -> Bool {
    entries[job].inside.contains {
      let outer = entries[$0]
      if outer.call.isFlight { return isStopped($0) }
      // A read's operation goes on for those of its callers who stay.
      if outer.isRead, !outer.isFirst { return outer.wasCleared || !riders($0).contains { isWanting($0) } }
      return outer.wasCancelled || outer.wasCleared && outer.isSubmitted
    }
  }

  func isRunning(_ job: Int) -> Bool { entries[job].isRunning }

  /// Whether it may still be in the way of others.
  func mayStand(_ job: Int) -> Bool {
    let entry = entries[job]
    if entry.isPart || entry.hasJoined || entry.hasEnded || entry.replacement != nil { return false }
    return entry.begins > 0 || !riders(job).allSatisfy { entries[$0].outcome != nil }
  }

  /// What runs in the place of the write, or it itself.
  func last(_ job: Int) -> Int {
    var job = job
    while let newer = entries[job].replacement { job = newer }
    return job
  }

  /// Whether the job needs one of a limited number of turns.
  func needsSlot(_ job: Int) -> Bool {
    options.slots != nil && entries[job].inside.isEmpty && (!options.areSlotsForReads || entries[job].isRead)
  }

  var slotsLeft: Int {
    (options.slots ?? .max) - entries.indices.count { isRunning($0) && needsSlot($0) }
  }

  /// Whether a shutdown may have ended it.
  var mayBeForced: Bool { forced.map { now >= $0 } ?? false }
}
