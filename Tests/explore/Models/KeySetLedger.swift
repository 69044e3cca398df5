import SerialTasks

/// Keeps account of every job of an executor with keys, where a job may touch several, and checks the promises at each event.
///
/// What it knows of the order is not taken from the library: a place is taken before a call can suspend, so on the one
/// thread of the explorer the order of the calls is the order of the places.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class KeySetLedger: @unchecked Sendable {
  typealias Outcome = Ledger.Outcome

  struct Entry {
    let name: String
    /// As they were named: one may be there twice.
    let keys: [String]
    var isSubmitted = false
    var hasHandle = false
    var outcome: Outcome?
    /// Reported as begun, and then by the job itself.
    var begins = 0
    var runs = 0
    var hasEnded = false
    /// The closing event: finished, failed or rejected.
    var ends = 0
    /// Cancelled, withdrawn or asked for too late: it must not begin any more.
    var mustNotBegin = false
    var wasClosed = false
    var isToldToStop = false
    /// Whether nothing but a slot, or a pause, was in its way when everybody else rested.
    var wasReady = false

    var isRunning: Bool { begins > 0 && !hasEnded }
    /// Whether it has a place, and will have its turn.
    var isWaiting: Bool { begins == 0 && ends == 0 && outcome == nil && !mustNotBegin }

    func conflicts(with other: Entry) -> Bool { keys.contains(where: other.keys.contains) }
  }

  /// What a job does.
  struct Work {
    let steps: Int
    /// Whether it lets everybody go on who can, and looks then.
    let rests: Bool
    let error: Ledger.JobError?

    init(_ random: inout SplitMix) {
      steps = random.below(3)
      rests = random.once(in: 3)
      error = random.once(in: 4) ? Ledger.JobError() : nil
    }
  }

  let world: World
  let executor: KeyedSerialTaskExecutor<String>
  let slots: Int?
  let capacity: Int?
  var entries: [Entry] = []
  var isPaused = false
  var isClosed = false
  /// The keys, of which none may have a job any more; `nil` for all.
  var over: [String?] = []

  init(_ world: World, slots: Int?, capacity: Int? = nil) {
    let relay = Relay()
    executor = KeyedSerialTaskExecutor(name: "keys", capacityPerKey: capacity, maximumConcurrentKeys: slots) {
      relay.ledger?.report($0)
    }
    self.world = world
    self.slots = slots
    self.capacity = capacity
    relay.ledger = self
    world.watch(executor, "the executor")
    world.watch(relay, "what the executor's line holds")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  /// Safe for the same reason as the ledger.
  private final class Relay: @unchecked Sendable { weak var ledger: KeySetLedger? }
}

// MARK: - Calls

extension KeySetLedger {
  private func ask(_ name: String, _ keys: [String]) -> Int {
    world.note(name, "asks", "for \(keys.joined(separator: ", "))")
    entries.append(Entry(name: name, keys: keys))
    entries[entries.count - 1].wasClosed = isClosed
    return entries.count - 1
  }

  func enqueue(_ name: String, _ keys: [String], _ work: Work) async {
    let job = ask(name, keys)
    if Task.isCancelled { forbid(job) }
    do {
      let value =
        keys.count == 1 && job % 2 == 0
        ? try await executor.enqueue(for: keys[0], name: name) { try await run(job, work) }
        : try await executor.enqueue(forAll: keys, name: name) { try await run(job, work) }
      answer(job, .returned(value), error: work.error)
    } catch { answer(job, Outcome(error), error: work.error) }
  }

  /// Calls `submit`, or `submitDetached`; the answer is the completion handler's.
  @discardableResult
  func submit(_ name: String, _ keys: [String], _ work: Work, isDetached: Bool) -> SubmittedJob<Int, any Error> {
    let job = ask(name, keys)
    entries[job].isSubmitted = true
    let body: @Sendable () async throws -> Int = { try await self.run(job, work) }
    let handle =
      isDetached
      ? executor.submitDetached(forAll: keys, name: name, body) : executor.submit(forAll: keys, name: name, body)
    entries[job].hasHandle = true
    handle.whenComplete { result in
      switch result {
      case .success(let value): self.answer(job, .returned(value), error: work.error)
      case .failure(let error): self.answer(job, Outcome(error), error: work.error)
      }
    }
    return handle
  }

  /// Cancels a submitted job after so many steps.
  func cancel(_ handle: SubmittedJob<Int, any Error>, _ name: String, after steps: Int) {
    world.spawn("canceller of \(name)") { [world] in
      await world.steps(steps)
      world.note(name, "is cancelled by its handle")
      self.forbid(name)
      handle.cancel()
      self.tellToStop(name)
    }
  }

  private func run(_ job: Int, _ work: Work) async throws -> Int {
    enter(job)
    await world.steps(work.steps)
    if work.rests { await rest() }
    let entry = entries[job]
    let mustSee = entry.hasHandle && entry.isToldToStop
    world.expect(!mustSee || Task.isCancelled, "a running job that is cancelled sees it", entry.name)
    world.note(entry.name, "ends")
    entries[job].hasEnded = true
    if let error = work.error { throw error }
    return job
  }

  private func enter(_ job: Int) {
    entries[job].runs += 1
    let entry = entries[job]
    world.note(entry.name, "runs")
    world.expect(entry.runs == 1, "each job runs once", entry.name)
    world.expect(entry.begins == 1, "a job is reported before it runs", entry.name)
    world.expect(entry.outcome == nil, "no job runs after its caller was answered", entry.name)
  }

  private func answer(_ job: Int, _ outcome: Outcome, error: Ledger.JobError?) {
    let entry = entries[job]
    world.note(entry.name, "is answered", "\(outcome)")
    world.expect(entry.outcome == nil, "each call is answered once", entry.name)
    entries[job].outcome = outcome
    let isRightly =
      switch outcome {
      case .returned(let value): value == job && error == nil && entry.hasEnded
      case .failed(let thrown): thrown == error && entry.hasEnded
      case .rejected(.cancelled), .rejected(.withdrawn): entry.mustNotBegin && entry.begins == 0
      case .rejected(.closed): entry.wasClosed && entry.begins == 0
      case .rejected(.full(let full)): full == capacity && entry.begins == 0
      case .rejected(.deadlock), .rejected(.late), .unexpected: false
      }
    world.expect(isRightly, "a call gets what its own job came to, or why it was rejected", "\(entry.name): \(outcome)")
  }
}

// MARK: - What the executor reports

extension KeySetLedger {
  private func report(_ event: TaskEvent) {
    guard let job = entries.lastIndex(where: { $0.name == event.job }) else {
      return world.expect(false, "what is reported was asked for", "\(event)")
    }
    var named: [String] = []
    for key in entries[job].keys where !named.contains(key) { named.append(key) }
    let label = named.isEmpty ? "keys" : "keys[\(named.joined(separator: ", "))]"
    world.expect(event.executor == label, "events name the keys of the job", "\(event.executor), not \(label)")
    switch event.kind {
    case .waiting: world.note(entries[job].name, "waits")
    case .began: begins(job)
    case .joined, .served, .stalled, .replaced, .left: world.expect(false, "keys have no flights", entries[job].name)
    case .finished, .failed: ends(job, ran: true)
    case .rejected(let why):
      if case .full = why { checkFull(job) }
      ends(job, ran: false)
    }
    world.point()
  }

  private func begins(_ job: Int) {
    world.note(entries[job].name, "begins")
    let entry = entries[job]
    for (index, other) in entries.enumerated() where index != job && other.conflicts(with: entry) {
      let detail = "\(entry.name) and \(other.name)"
      world.expect(!other.isRunning, "jobs that touch a common key never overlap", detail)
      world.expect(index > job || !other.isWaiting, "on each key, first in, first out by place", detail)
    }
    world.expect(entry.begins == 0, "each job begins once", entry.name)
    world.expect(!entry.mustNotBegin, "cancelled before it began means never ran", entry.name)
    world.expect(!isPaused, "while it is paused no job begins", entry.name)
    let isOver = over.contains { $0.map(entry.keys.contains) ?? true }
    world.expect(!isOver, "after log-out nothing lands", entry.name)
    let running = entries.count(where: \.isRunning)
    world.expect(
      running < slots ?? .max, "no more jobs run than there are slots", "\(running) did before \(entry.name)")
    checkTurns(job)
    if running > 0 { world.meet("jobs that run at the same time") }
    if entry.keys.count > 1 { world.meet("a job of several keys") }
    entries[job].begins += 1
  }

  /// Slots are given in the order in which jobs become ready: a job that was not ready comes after those that were.
  private func checkTurns(_ job: Int) {
    if slots == nil { return }
    if entries[job].wasReady {
      let isBefore = entries[..<job].contains { $0.isWaiting && !$0.wasReady && !$0.conflicts(with: entries[job]) }
      if isBefore { world.meet("a ready job before an earlier one of a busy key") }
      return
    }
    for other in entries where other.wasReady && other.isWaiting {
      guard let key = other.keys.first else { continue }
      let isGranted = executor.snapshot(for: key).isRunning
      world.expect(isGranted, "keys that are ready get slots in turn", "\(entries[job].name) goes before \(other.name)")
    }
  }

  private func ends(_ job: Int, ran: Bool) {
    entries[job].ends += 1
    world.expect(entries[job].ends == 1, "each job is reported to one end", entries[job].name)
    world.expect(
      (entries[job].begins == 1) == ran, "finished or failed if it began, rejected if not", entries[job].name)
  }

  private func checkFull(_ job: Int) {
    let isFull = entries[job].keys.contains { key in
      entries.indices.count {
        $0 != job && entries[$0].begins == 0 && entries[$0].ends == 0 && entries[$0].keys.contains(key)
      } >= capacity ?? .max
    }
    world.expect(isFull, "no job is rejected while there is room", entries[job].name)
  }
}
