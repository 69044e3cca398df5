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

  private let entries = Lock<[StableKey<Key>: Entry]>([:])
  private let access: any ExclusiveAccess<Key>
  private let limit: Int
  private let requests: KeyedSerialTaskExecutor<Key>
  private let clock: any Clock<Duration>

  init(
    _ access: any ExclusiveAccess<Key>, name: String?, limit: Int, clock: any Clock<Duration>,
    onAccess: (@Sendable (TaskEvent) -> Void)?
  ) {
    // Not a precondition: those say nothing in release builds.
    if limit < 1 { fatalError("jobsPerAccess must be at least 1, and is \(limit)") }
    self.access = access
    self.limit = limit
    self.clock = clock
    requests = KeyedSerialTaskExecutor(name: name.map { "\($0) access" }, clock: clock, onEvent: onAccess)
  }
}

// MARK: - Jobs

extension AccessDesk {
  /// A job comes to the key; it is to leave again, however it ends.
  func arrive(_ key: Key) -> Job {
    let key = StableKey(key)
    return entries.withLock { entries in
      let entry = entries[key] ?? Entry(key, limit: limit)
      // A key that is not equal to itself would not be found again: each of its jobs is alone.
      if entry.state.jobs == 0, key == key { entries[key] = entry }
      return Job(entry: entry, ticket: entry.state.arrive())
    }
  }

  func leave(_ job: Job) {
    let (leaving, _) = entries.withLock { entries in
      let leaving = job.entry.state.leave()
      // The key is released after the unlock, with the entry that holds it.
      return (leaving, job.entry.state.jobs == 0 ? entries.removeValue(forKey: job.entry.key) : nil)
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
    while true {
      switch next(job) {
      case .withdrawn: throw failure(.rejected(.withdrawn))
      case .failed(let error): throw failure(.noAccess(error))
      case .ask(let holding):
        ask(holding, job.entry)
        if let why = await holding.decided.wait(atMost: timeLeft()) { throw failure(.rejected(why)) }
      case .wait(let holding):
        if let why = await holding.decided.wait(atMost: timeLeft()) { throw failure(.rejected(why)) }
      case .run(let holding, let isFirst):
        let fence = holding.fence
        do { try fence.check() } catch {
          lose(holding, job.entry, failing: isFirst ? error : nil)
          continue
        }
        defer { finish(holding, job.entry) }
        return try await body(fence)
      }
    }
  }

  // Not inlined into async functions, as `Lock` asks for.

  @inline(never)
  private func next(_ job: Job) -> AccessState<Holding>.Next {
    entries.withLock { _ in job.entry.state.next(job.ticket, new: Holding(clock: clock)) }
  }

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
      try await access.withAccess(to: key) { fence in
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
      let withdrawn = key.map { key in entries[StableKey(key)].map { [$0] } ?? [] } ?? Array(entries.values)
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

  /// The number of keys that have jobs.
  var busyKeys: Int { entries.withLock { $0.count } }
}
