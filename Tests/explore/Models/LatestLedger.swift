import SerialTasks

/// Keeps account of writes, of which some may take the place of others, and checks the promises at each event.
///
/// A write that replaces another has its place. Which one it replaces is known from what was asked for and has begun, and not
/// taken from the library.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class LatestLedger: @unchecked Sendable {
  typealias Outcome = Ledger.Outcome

  /// What a write does, and what is done with its handle.
  struct Work {
    let steps: Int
    /// Whether it lets everybody go on who can, and looks then.
    let rests: Bool
    let error: Ledger.JobError?
    let isAwaited: Bool
    let cancelledAfter: Int?

    init(_ random: inout SplitMix) {
      steps = random.below(3)
      rests = random.once(in: 3)
      error = random.once(in: 4) ? Ledger.JobError() : nil
      isAwaited = random.once(in: 2)
      cancelledAfter = random.once(in: 4) ? random.below(4) : nil
    }
  }

  /// What writes replace each other by: a key, and the types of what they return and throw.
  struct Latest: Hashable {
    let key: String
    let isTyped: Bool
  }

  struct Entry {
    let name: String
    /// What it touches; `nil` is every key.
    let keys: Set<String>?
    let work: Work
    let wasClosed: Bool
    /// Where it stands: by the number of the write whose place it has, or its own.
    let place: Int
    var replacement: Int?
    var outcome: Outcome?
    var begins = 0
    var runs = 0
    var hasEnded = false
    /// The closing event: finished, failed, rejected or replaced.
    var ends = 0
    var mustNotBegin = false
    /// Whether a task has its handle, and waits for its outcome.
    var hasHandle = false
    /// What a task got that waited for it.
    var awaited: Outcome?

    var isRunning: Bool { begins > 0 && !hasEnded }
    var isWaiting: Bool { begins == 0 && ends == 0 && outcome == nil && !mustNotBegin && replacement == nil }

    func conflicts(with other: Entry) -> Bool {
      guard let keys, let others = other.keys else { return true }
      return !keys.isDisjoint(with: others)
    }
  }

  let world: World
  let executor: CoalescingTaskExecutor<String>
  var entries: [Entry] = []
  private var newest: [Latest: Int] = [:]
  var isPaused = false
  var isClosed = false

  init(_ world: World) {
    let relay = Relay()
    executor = CoalescingTaskExecutor(name: "repo") { relay.ledger?.report($0) }
    self.world = world
    relay.ledger = self
    world.watch(executor, "the executor")
    world.watch(relay, "what the executor's line holds")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  /// Safe for the same reason as the ledger.
  private final class Relay: @unchecked Sendable { weak var ledger: LatestLedger? }

  /// What runs in the place of the write, or it itself.
  func last(_ job: Int) -> Int {
    var job = job
    while let newer = entries[job].replacement { job = newer }
    return job
  }
}

// MARK: - Calls

extension LatestLedger {
  private func ask(_ name: String, _ keys: [String]?, _ work: Work, latest: Latest? = nil) -> Int {
    let (job, keys) = (entries.count, keys.map(Set.init))
    let older = latest.flatMap { newest[$0] }
    let isReplacing = !isClosed && older.map { entries[$0].isWaiting && entries[$0].keys == keys } ?? false
    let place = isReplacing ? entries[older!].place : job
    world.note(name, "asks", isReplacing ? "in the place of \(entries[older!].name)" : "")
    entries.append(Entry(name: name, keys: keys, work: work, wasClosed: isClosed, place: place))
    if let older { meet(older, isReplacing) }
    if isReplacing { entries[older!].replacement = job }
    if let latest, !isClosed { newest[latest] = job }
    return job
  }

  private func meet(_ older: Int, _ isReplacing: Bool) {
    if entries[older].isRunning { world.meet("a newer write beside one that runs") }
    if isReplacing {
      world.meet(entries[older].place == older ? "a write is replaced" : "a replacement is replaced")
    } else if entries[older].isWaiting {
      world.meet("a newer write of other keys")
    }
  }

  /// Submits the newest write of its kind; the answer is the completion handler's.
  func submit(_ name: String, _ keys: [String], latest: Latest, _ work: Work) {
    let job = ask(name, keys, work, latest: latest)
    if latest.isTyped {
      settle(
        executor.submitWrite(latest: latest.key, touching: keys, name: name, rejectedAs: Fault.rejected) {
          () async throws(Fault) in
          do { return try await self.run(job) } catch { throw .thrown(work.error!) }
        }, job)
    } else {
      settle(
        executor.submitWrite(latest: latest.key, touching: keys, name: name) { try await self.run(job) }, job)
    }
  }

  /// Submits a write that replaces none and is not replaced.
  func submit(_ name: String, _ keys: [String], _ work: Work) {
    let job = ask(name, keys, work)
    settle(executor.submitWrite(touching: keys, name: name) { try await self.run(job) }, job)
  }

  func write(_ name: String, _ keys: [String]?, _ work: Work) async {
    let job = ask(name, keys, work)
    if Task.isCancelled { forbid(job) }
    do {
      let value =
        if let keys {
          try await executor.write(touching: keys, name: name) { try await run(job) }
        } else {
          try await executor.write(name: name) { try await run(job) }
        }
      answer(job, .returned(value))
    } catch { answer(job, Outcome(error)) }
  }

  private enum Fault: Error {
    case thrown(Ledger.JobError)
    case rejected(JobRejection)

    var error: any Error {
      switch self {
      case .thrown(let error): error
      case .rejected(let why): why
      }
    }
  }

  private func settle<Failure>(_ handle: SubmittedJob<Int, Failure>, _ job: Int) {
    handle.whenComplete { self.answer(job, self.outcome($0)) }
    entries[job].hasHandle = true
    if entries[job].work.isAwaited {
      world.spawn("waiter of \(entries[job].name)") { [self] in
        entries[job].awaited = outcome(await handle.result)
      }
    }
    if let steps = entries[job].work.cancelledAfter { cancel(handle, job, after: steps) }
  }

  private func outcome<Failure>(_ result: Result<Int, Failure>) -> Outcome {
    switch result {
    case .success(let value): .returned(value)
    case .failure(let error): Outcome((error as? Fault)?.error ?? error)
    }
  }

  private func cancel<Failure>(_ handle: SubmittedJob<Int, Failure>, _ job: Int, after steps: Int) {
    world.spawn("canceller of \(entries[job].name)") { [self] in
      await world.steps(steps)
      world.note(entries[job].name, "is cancelled by its handle")
      if entries[job].isWaiting, entries[job].place != job { world.meet("a replacement is cancelled") }
      // What was replaced is not affected, and neither is what has taken its place.
      if entries[job].replacement == nil { forbid(job) }
      handle.cancel()
    }
  }

  private func run(_ job: Int) async throws -> Int {
    entries[job].runs += 1
    let (name, work) = (entries[job].name, entries[job].work)
    world.note(name, "runs")
    world.expect(entries[job].runs == 1, "each job runs once", name)
    world.expect(entries[job].begins == 1, "a job is reported before it runs", name)
    await world.steps(work.steps)
    if work.rests { await rest() }
    world.note(name, "ends")
    entries[job].hasEnded = true
    if let error = work.error { throw error }
    return job
  }

  private func answer(_ job: Int, _ outcome: Outcome) {
    let (entry, last) = (entries[job], entries[last(job)])
    world.note(entry.name, "is answered", "\(outcome)")
    world.expect(entry.outcome == nil, "each call is answered once", entry.name)
    entries[job].outcome = outcome
    let isRightly =
      switch outcome {
      case .returned(let value): value == self.last(job) && last.hasEnded
      case .failed(let error): error == last.work.error && last.hasEnded
      case .rejected(.cancelled), .rejected(.withdrawn): last.mustNotBegin && last.begins == 0
      case .rejected(.closed): last.wasClosed && last.begins == 0
      case .rejected(.full), .rejected(.deadlock), .rejected(.late), .unexpected: false
      }
    let detail = "\(entry.name): \(outcome), and \(last.name) is last"
    world.expect(isRightly, "every handle has the outcome of the newest", detail)
  }
}

// MARK: - What the executor reports

extension LatestLedger {
  private func report(_ event: TaskEvent) {
    guard let job = entries.firstIndex(where: { $0.name == event.job }) else {
      return world.expect(false, "what is reported was asked for", "\(event)")
    }
    let entry = entries[job]
    switch event.kind {
    case .waiting: world.note(entry.name, "waits")
    case .began: begins(job)
    case .replaced:
      world.note(entry.name, "is replaced")
      entries[job].ends += 1
      let isRightly = entry.replacement != nil
      world.expect(isRightly, "nothing is replaced that has begun, has left, or did not ask for it", entry.name)
    case .finished, .failed, .rejected: entries[job].ends += 1
    case .joined, .served, .stalled, .left: world.expect(false, "writes have no flights", entry.name)
    }
    world.expect(entries[job].ends <= 1, "each job is reported to one end", entry.name)
    world.point()
  }

  private func begins(_ job: Int) {
    let entry = entries[job]
    world.note(entry.name, "begins")
    for (index, other) in entries.enumerated() where index != job && other.conflicts(with: entry) {
      let detail = "\(entry.name) and \(other.name)"
      world.expect(!other.isRunning, "writes that touch a common key never overlap", detail)
      let isAhead = other.place < entry.place
      world.expect(!isAhead || !other.isWaiting, "a write runs in the place of the first that it replaced", detail)
      let isTold =
        other.replacement == nil || !other.hasHandle || other.outcome != nil || !entries[last(index)].hasEnded
      world.expect(isTold, "handles of what was replaced are settled before the next job", detail)
    }
    world.expect(entry.begins == 0, "each job begins once", entry.name)
    world.expect(entry.replacement == nil, "exactly one of those that replace each other runs", entry.name)
    world.expect(!entry.mustNotBegin, "cancelled before it began means never ran", entry.name)
    world.expect(!isPaused, "while it is paused no job begins", entry.name)
    entries[job].begins += 1
  }
}
