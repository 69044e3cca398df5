import SerialTasks

/// The shell around ``AccessState``: asks the engine for access, lends it to jobs, and gives it back.
///
/// Requests are jobs of an executor with the same keys. So a key has one at a time, the next is sent when the one before it has
/// been released, a request that is not wanted any more is cancelled as jobs are, and all of them are drained together.
final class AccessDesk<Key: Hashable & Sendable>: Sendable {
  /// One key, while it has jobs.
  ///
  /// Safe because the state is reached only under the lock of the desk.
  final class Entry: @unchecked Sendable {
    fileprivate let key: StableKey<Key>
    fileprivate var state: AccessState<Holding>

    fileprivate init(_ key: StableKey<Key>, limit: Int) {
      self.key = key
      state = AccessState(limit: limit)
    }
  }

  /// A job that has arrived.
  struct Job: Sendable {
    fileprivate let entry: Entry
    fileprivate let ticket: AccessState<Holding>.Ticket
  }

  private struct Entries: Sendable {
    var byKey: [StableKey<Key>: Entry] = [:]
    /// How many have been made.
    var made: UInt64 = 0
  }

  private let entries = Lock(Entries())
  private let access: any ExclusiveAccess<Key>
  private let limit: Int
  /// Where the jobs have their turns.
  private let line: KeyedLine<Key>
  let requests: KeyedSerialTaskExecutor<Key>
  private let clock: AnyClock
  private let events: AccessEvents?

  /// - Parameters:
  ///   - access: Grants access.
  ///   - line: Where the jobs have their turns.
  ///   - limit: The most jobs that run under one grant.
  ///   - clock: Measures requests, and how long jobs wait.
  ///   - onAccess: Called for what happens to each request.
  ///   - events: What the executor's events are made by, if it reports any.
  init(
    _ access: any ExclusiveAccess<Key>, for line: KeyedLine<Key>, limit: Int, clock: some Clock<Duration>,
    onAccess: (@Sendable (TaskEvent) -> Void)?, events: AccessEvents?
  ) {
    // Not a precondition: those say nothing in release builds.
    if limit < 1 { fatalError("jobsPerAccess must be at least 1, and is \(limit)") }
    self.access = access
    self.line = line
    self.limit = limit
    self.clock = AnyClock(clock)
    self.events = events
    requests = KeyedSerialTaskExecutor(name: "\(line.label) access", clock: clock, onEvent: onAccess)
  }
}

// MARK: - Jobs

extension AccessDesk {
  /// A job comes to the key; it is to leave again, however it ends.
  func arrive(_ key: Key) -> Job {
    let key = StableKey(key)
    return entries.withLock { entries in
      if let entry = entries.byKey[key] { return Job(entry: entry, ticket: entry.state.arrive()) }
      entries.made += 1
      let entry = Entry(key.numbered(entries.made), limit: limit)
      entries.byKey[entry.key] = entry
      return Job(entry: entry, ticket: entry.state.arrive())
    }
  }

  func leave(_ job: Job) {
    let (leaving, _) = entries.withLock { entries in
      let leaving = job.entry.state.leave()
      // The key is released after the unlock, with the entry that holds it.
      return (leaving, job.entry.state.jobs == 0 ? entries.byKey.removeValue(forKey: job.entry.key) : nil)
    }
    switch leaving {
    case .nothing: break
    case .release(let holding): holding.release()
    case .abandon(let holding): holding.abandon()
    }
  }

  /// Runs the body under a grant; to be called in the job's turn.
  ///
  /// - Parameters:
  ///   - job: What has arrived.
  ///   - timeLeft: How long it may still wait for access.
  ///   - failure: Returns the error if it never runs.
  ///   - body: What to run.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, or what `rejectedAs` returned.
  nonisolated(nonsending) func run<Success: ~Copyable, Failure: Error>(
    _ job: Job, timeLeft: () -> Duration? = { nil }, rejectedAs failure: (FencedRejection) -> Failure,
    _ body: nonisolated(nonsending) (Fence) async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let granted = await holding(for: job, timeLeft)
    if let events, let place = line.heldPlace {
      switch granted {
      case .success: events.begin(place)
      case .failure(.rejected(let why)): events.reject(place, why)
      case .failure(.noAccess): break
      }
    }
    let holding: Holding
    switch granted {
    case .success(let granted): holding = granted
    case .failure(let why): throw failure(why)
    }
    defer { finish(holding, job.entry) }
    return try await body(holding.fence)
  }

  /// Waits for a grant under which the job may run, or says why it may not.
  private nonisolated(nonsending) func holding(
    for job: Job, _ timeLeft: () -> Duration?
  ) async -> Result<Holding, FencedRejection> {
    var pending: Place?
    defer { if let pending { line.endPending(pending) } }
    while true {
      let asked: Holding
      switch next(job, mayAsk: timeLeft().map { $0 > .zero } ?? true) {
      case .withdrawn: return .failure(.rejected(.withdrawn))
      case .late: return .failure(.rejected(.late))
      case .failed(let error): return .failure(.noAccess(error))
      case .run(let holding, let isFirst):
        do { try holding.fence.check() } catch {
          lose(holding, job.entry, failing: isFirst ? error : nil)
          continue
        }
        return .success(holding)
      case .ask(let holding):
        ask(holding, job.entry)
        asked = holding
      case .wait(let holding): asked = holding
      }
      pending = pending ?? line.beginPending()
      let decided = await asked.decided.wait(atMost: timeLeft(), unless: { isWithdrawn(job) })
      if let why = decided ?? departure(timeLeft()) {
        // The call that withdraws a job may also cancel its task.
        return .failure(.rejected(isWithdrawn(job) ? .withdrawn : why))
      }
    }
  }

  // Not inlined into async functions, as `Lock` asks for.

  @inline(never)
  private func next(_ job: Job, mayAsk: Bool) -> AccessState<Holding>.Next {
    entries.withLock { _ in job.entry.state.next(job.ticket, mayAsk: mayAsk, new: Holding(clock: clock)) }
  }

  /// Why the job leaves although its request was decided: that may have been long before its task goes on.
  private func departure(_ timeLeft: Duration?) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    return timeLeft.map { $0 <= .zero } == true ? .late : nil
  }

  @inline(never)
  private func isWithdrawn(_ job: Job) -> Bool { entries.withLock { _ in job.entry.state.isWithdrawn(job.ticket) } }

  @inline(never)
  private func finish(_ holding: Holding, _ entry: Entry) {
    if entries.withLock({ _ in entry.state.finish(holding) }) { holding.release() }
  }

  @inline(never)
  private func lose(_ holding: Holding, _ entry: Entry, failing error: (any Error)?) {
    if entries.withLock({ _ in entry.state.lose(holding, failing: error) }) { holding.release() }
  }
}

// MARK: - Requests

extension AccessDesk {
  private func ask(_ holding: Holding, _ entry: Entry) {
    let key = entry.key.key
    let request = requests.submitDetached(for: key, priority: Task.currentPriority) { [self] in
      let pending = requests.line.beginPending()
      defer { if let pending { requests.line.endPending(pending) } }
      try await access.withAccess(to: key) { fence in
        if let pending { requests.line.endPending(pending) }
        guard grant(holding, entry, fence) else { return }
        holding.decided.open()
        await holding.hold()
      }
    }
    holding.keep(request)
    request.whenComplete { [self] result in
      let error: any Error = if case .failure(let error) = result { error } else { AccessError.notGranted }
      end(holding, entry, error)
      holding.decided.open()
    }
  }

  @inline(never)
  private func grant(_ holding: Holding, _ entry: Entry, _ fence: Fence) -> Bool {
    holding.keep(fence)
    return entries.withLock { _ in entry.state.grant(holding) }
  }

  private func end(_ holding: Holding, _ entry: Entry, _ error: any Error) {
    entries.withLock { _ in entry.state.end(holding, error) }
    holding.release()
  }
}

// MARK: - All keys at once

extension AccessDesk {
  /// Withdraws all jobs that have arrived and not begun, of one key or of all.
  ///
  /// The line in front of it is cleared between marking the jobs and waking the one that waits for access.
  func withdraw(_ key: Key? = nil, clear: () -> Void) {
    let asked = entries.withLock { entries in
      let withdrawn = key.map { key in entries.byKey[StableKey(key)].map { [$0] } ?? [] } ?? Array(entries.byKey.values)
      return withdrawn.compactMap { $0.state.withdraw() }
    }
    clear()
    for holding in asked { holding.decided.withdrawAll() }
  }

  /// Returns when all access has been given back.
  nonisolated(nonsending) func drain() async throws { try await requests.drain() }

  /// Returns when all access has been given back, and asks the engine to end what it has not granted by the limit.
  nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool { await requests.shutDown(within: limit) }

  nonisolated(nonsending) func drain(for key: Key) async throws { try await requests.drain(for: key) }

  /// Whether there is no job and no access at the same moment, of one key or at all.
  ///
  /// The line is looked at under the lock of the requests, so that none begins or ends between the two.
  func isIdle(_ key: Key? = nil) -> Bool {
    // Not hashed under a lock.
    let key = key.map { StableKey($0) }
    return requests.line.isIdle(key) { line.isIdle(key) }
  }

  /// The number of keys that have jobs.
  var busyKeys: Int { entries.withLock { $0.byKey.count } }
}
