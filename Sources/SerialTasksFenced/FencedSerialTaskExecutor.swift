/// Runs the async jobs of each key strictly one after another, across processes, and gives each job a fence.
///
/// ```swift
/// // After the earlier jobs of this process, and alone among all processes.
/// try await accounts.enqueue(for: id) { fence in
///   let balance = try await store.transaction { db in
///     // First of all: the store learns the number, and throws if it knows a higher one.
///     try db.learn(fence.number, of: id)
///     return try db.balance(of: id)
///   }
///   try await approve(amount, balance)  // asks another service
///   try await store.transaction { db in
///     try db.learn(fence.number, of: id)
///     try db.save(balance + amount, of: id)
///   }
/// }
/// ```
///
/// If one transaction can do everything that a job does, the database's own locks are enough.
///
/// **The fence comes first:** ``Fence`` has the rule for the store, and the statement to copy. Without it, an update
/// may be lost: no engine excludes a process that was paused without noticing.
///
/// In each process, the jobs of a key run like those of a `KeyedSerialTaskExecutor`, with the same promises. Before the
/// first job of a key runs, the executor requests the key from an ``ExclusiveAccess``. It releases access when no job
/// of the key is left, some time later (`keepsAccessFor:`), or after `jobsPerAccess` jobs.
///
/// Not supported: `submitDetached`, `preconditionInJob(for:)`, `maximumConcurrentJobs` and `reportsTurnsLongerThan`.
///
/// **Order.** In this process, by place among the jobs of one key. Exception: a call made inside a job of the same
/// executor goes ahead of all jobs that have not begun. Between processes, the engine decides.
///
/// **Reentrancy.** A job that would wait for its own key is rejected with `JobRejection.deadlock`, as are all cycles of
/// this process. A cycle through another process, or through two executors that share an engine, is not detected: name
/// all keys of a job at once (``enqueue(touching:name:waitingAtMost:_:)``).
///
/// **Keys.** `==` runs under a lock and must not call the executor.
///
/// **Lifetime.** The executor may be released while jobs wait: they still run.
public final class FencedSerialTaskExecutor<Key: Hashable & Sendable>: Sendable {
  package let lines: KeyedSerialTaskExecutor<Key>
  let desk: AccessDesk<Key>
  let clock: AnyClock

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The name in events and deadlock errors, where the key follows it: `accounts[ann]`.
  ///   - access: The engine.
  ///   - jobsPerAccess: The maximum number of jobs under one grant. A low number is fair to other processes, a high one
  ///     is fast: each grant of ``LockFolder`` costs a write to the disk. Traps if less than 1.
  ///   - keeping: How long this process keeps access to a key after its last job, which saves grants if only one process uses the
  ///     key. Access is released earlier if another process requests it, after `jobsPerAccess` jobs, and by ``close()``,
  ///     ``drain()``, ``shutDown(within:)`` and ``pause()``. Another process waits until the engine reports its request
  ///     (``ExclusiveAccess/waitUntilAnotherAsks(for:under:)``) or, if it cannot, until the time is over. After the report, it
  ///     waits at most for this time and the running job. A kept key costs the engine as much as a used one.
  ///   - capacity: The maximum number of jobs that wait for other jobs, for access, or for the end of a pause. A job with several
  ///     keys counts once. Another job that would have to wait is rejected with `JobRejection.full(capacity:)`, except calls made
  ///     inside a running job; a submitted job that finds its keys free is rejected when its task requests access. A job that has
  ///     its turn and has not yet requested access does not count. Traps if less than 1. `nil` means no limit.
  ///   - capacityPerKey: The maximum number of jobs of one key that wait for other jobs or for the end of a pause, not
  ///     for access; a job with several keys counts on each. Another job is rejected with
  ///     `JobRejection.keyFull(capacity:)`, unless `capacity` rejects it first; otherwise like `capacity`.
  ///   - clock: Measures times for limits and events.
  ///   - onEvent: See `TaskEvent`. A job *begins* when it has its turn and access to its key: `waited` includes the wait for
  ///     access, `ran` does not. A job that is late, cancelled or withdrawn before that is reported `rejected`. If the engine
  ///     grants no access, the job is reported `began` and `failed` at once, with the engine's error and without `ran`.
  public convenience init(
    name: String? = nil, access: some ExclusiveAccess<Key>, jobsPerAccess: Int = 100,
    keepsAccessFor keeping: Duration = .zero, capacity: Int? = nil, capacityPerKey: Int? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.init(
      name: name, access: access, jobsPerAccess: jobsPerAccess, keepsAccessFor: keeping, capacity: capacity,
      capacityPerKey: capacityPerKey, clock: clock, onEvent: onEvent, onAccess: nil)
  }

  /// Creates an executor that also reports its requests for access, as `TaskEvent`s, to `onAccess`.
  ///
  /// A request *begins* when it is sent, *finishes* when access has been released, and *fails* if the engine fails to
  /// grant or release it. In these events, the executor `accounts` is called `accounts access`. Otherwise like the
  /// initializer without `onAccess`.
  public init(
    name: String? = nil, access: some ExclusiveAccess<Key>, jobsPerAccess: Int = 100,
    keepsAccessFor keeping: Duration = .zero, capacity: Int? = nil, capacityPerKey: Int? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)?,
    onAccess: (@Sendable (TaskEvent) -> Void)?
  ) {
    // Neither handler has a default: in Swift 5 mode, a trailing closure would be passed to the last one, not to `onEvent`.
    let anyClock = AnyClock(clock)
    let events = onEvent.map { AccessEvents(clock: anyClock, onEvent: $0) }
    let line = KeyedLine<Key>(
      name: name, type: "FencedSerialTaskExecutor", reportsKeys: true, capacity: capacity,
      capacityPerKey: capacityPerKey, clock: clock, onEvent: events.map { $0.receive })
    lines = KeyedSerialTaskExecutor(line)
    desk = AccessDesk(
      access, for: line, AccessState.Terms(jobs: jobsPerAccess, keeping: keeping.bounded), clock: clock,
      onAccess: onAccess, events: events)
    self.clock = anyClock
  }

  deinit {
    desk.close()
    resume()
  }

  /// The name given to the executor.
  public var name: String? { lines.name }
}

// MARK: - Waiting for a job

extension FencedSerialTaskExecutor {
  /// Runs the job when it has the turn of its key and this process has access to the key, and returns the job's result.
  ///
  /// Like `KeyedSerialTaskExecutor.enqueue(for:name:waitingAtMost:_:)`, for the jobs of this process:
  ///
  /// - **Cancellation** of the calling task: *before* the call, *waiting* for its turn or for access, or *granted* but not begun,
  ///   the job never runs, and this call throws `CancellationError`; *running*, the job sees `Task.isCancelled`. A request for
  ///   access continues for the callers that still wait, and is cancelled when none is left.
  /// - **Isolation:** the caller's. The request to the engine runs in a separate task.
  /// - **Limit:** `waitingAtMost` limits the wait for earlier jobs and for access together. It also ends cycles between processes,
  ///   which are not detected. With `.zero` or less, no request is sent: the job runs only if this process already has access.
  /// - **A request that hangs:** a late call also cancels a request that other jobs need. The next of them sends a new one, which
  ///   queues behind the requests of other processes. So each request has at least the limit of the call, and twice as long as the
  ///   previous request for the key took until it was granted or cancelled by a late call, but at most four times the limit, or
  ///   ten seconds if that is longer. The previous request is forgotten when the key has neither jobs nor access.
  /// - **Complexity:** O(1), and a request for access if this process has none. Callers that arrive while others wait
  ///   or run share it, up to `jobsPerAccess` of them.
  ///
  /// If access is refused or fails, all jobs of the key that were waiting for it get the engine's error. If access is
  /// lost while a job runs, ``Fence/check()`` throws. In both cases, the next job sends a new request.
  ///
  /// - Throws: The job's error, unchanged; the engine's error; ``AccessError``; `CancellationError` if the task was
  ///   cancelled before the job began; otherwise a `JobRejection`.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success {
    try await enqueue(for: key, name: name, waitingAtMost: limit, rejectedAs: { $0.untyped }, job)
  }

  /// Runs the job like ``enqueue(for:name:waitingAtMost:_:)``, but throws its error, or what `rejectedAs` returns if it
  /// never ran.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (FencedRejection) -> Failure,
    _ job: nonisolated(nonsending) (Fence) async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let arrived = desk.arrive([key], within: limit)
    defer { desk.leave(arrived) }
    return try await lines.enqueue(
      for: key, name: name, waitingAtMost: limit, rejectedAs: { rejectedAs(desk.rejection($0, of: arrived)) }
    ) {
      () async throws(Failure) in
      try await desk.run(arrived, rejectedAs: rejectedAs) { fences throws(Failure) in try await job(fences[0]) }
    }
  }
}

// MARK: - Submitting a job

extension FencedSerialTaskExecutor {
  /// Takes a place for the job and returns; the job also waits for access to the key.
  ///
  /// Like `SerialTaskExecutor.submit(name:priority:_:)`, for each key separately:
  ///
  /// - **Cancellation:** through the handle, ``cancelAll(for:)`` or ``cancelAll()``. A job that still waits for its
  ///   turn or for access then never runs.
  /// - **Complexity and errors:** as for ``enqueue(for:name:waitingAtMost:_:)``.
  @discardableResult
  public func submit<Success: Sendable>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) (Fence) async throws -> Success
  ) -> SubmittedJob<Success> {
    let arrived = desk.arrive([key], isSubmitted: true)
    // Safe because the closure is only passed on, once.
    nonisolated(unsafe) let job = job
    let submitted = lines.submit(for: key, name: name, priority: priority) { [desk] in
      try await desk.run(arrived, rejectedAs: { $0.untyped }) { fences in try await job(fences[0]) }
    }
    submitted.whenComplete { [desk] _ in desk.leave(arrived) }
    return submitted
  }
}
