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
/// **The fence comes first.** The store must learn the fence's number before the job reads what it will write back, in the
/// transaction of the read, and reject a number lower than one it has learned: ``Fence`` has the statement to copy.
/// Otherwise an update may be lost, because no engine can enforce exclusion on a process that is paused without noticing.
///
/// In each process, the jobs of a key run like the jobs of a `KeyedSerialTaskExecutor`, with the same promises about order,
/// isolation, cancellation, errors and deadlocks. Before the first job of a key runs, the executor requests the key from an
/// ``ExclusiveAccess``. It releases access when no job of the key is left, or some time later (`keepsAccessFor:`), or after
/// a number of jobs (`jobsPerAccess`). All callers of a key in this process share one request.
///
/// Not supported: `submitDetached`, `preconditionInJob(for:)`, `maximumConcurrentJobs` and `reportsTurnsLongerThan`.
///
/// **Order.** First in, first out by place among the jobs of one key in this process. Exception: a call made inside a job
/// of the same executor goes ahead of all jobs that have not begun. Between processes, the engine decides.
///
/// **Reentrancy.** A job that would wait for its own key is rejected with `JobRejection.deadlock`, as are cycles through
/// several keys, executors and operations of this process. A cycle through another process, or through two executors that
/// share an engine, is not detected: name all keys of a job at once (``enqueue(touching:name:waitingAtMost:_:)``).
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
  ///   - name: The executor's name in events, and in deadlock errors, where the key follows it: `accounts[ann]`.
  ///   - access: The engine that grants access to a key.
  ///   - jobsPerAccess: The maximum number of jobs under one grant. After them, access is released, and waiting jobs
  ///     request it again. A low number is fair to other processes, a high one is fast: each grant of ``LockFolder`` costs
  ///     a write to the disk. Traps if less than 1.
  ///   - keeping: How long this process keeps access to a key after its last job: a key that only one process uses then
  ///     rarely needs a new grant. Access is released earlier if another process requests it, after `jobsPerAccess` jobs,
  ///     and by ``close()``, ``drain()``, ``shutDown(within:)`` and ``pause()``. Another process waits until the engine
  ///     reports its request (``ExclusiveAccess/waitUntilAnotherAsks(for:under:)``) or, if the engine cannot, until the
  ///     time is over. If jobs keep arriving here after the report, it waits at most for this time and the running job. A
  ///     kept key costs the engine as much as a used one.
  ///   - capacity: The maximum number of waiting jobs of all keys, whether they wait for other jobs, for access, or for the
  ///     end of a pause. A job with several keys counts once. Another job that would have to wait is rejected with
  ///     `JobRejection.full(capacity:)`, except calls made inside a running job; a submitted job that finds its keys free
  ///     is rejected when its task requests access. A job that has its turn and has not yet requested access is not
  ///     counted: a few more may wait. Traps if less than 1. `nil` means no limit.
  ///   - capacityPerKey: The maximum number of jobs of one key that wait for other jobs or for the end of a pause. The job
  ///     that waits for access does not count; a job with several keys counts on each of them. Another job is rejected with
  ///     `JobRejection.keyFull(capacity:)`, except calls made inside a running job, unless `capacity` rejects it first.
  ///     Traps if less than 1. `nil` means no limit.
  ///   - clock: Measures waiting times and running times, for limits and events.
  ///   - onEvent: Called for each step of a job; see `TaskEvent`. A job *begins* when it has its turn and access to its
  ///     key: `waited` includes the wait for access, `ran` does not. A job that is late, cancelled or withdrawn before that
  ///     is reported `rejected`. If the engine grants no access, the job never runs, and is reported `began` and `failed`
  ///     at once, with the engine's error and without `ran`.
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
  /// A request *begins* when it is sent to the engine, *finishes* when access has been released, and *fails* if the engine
  /// fails to grant or release it. The executor of these events is called `accounts access`. Otherwise like the
  /// initializer without `onAccess`.
  public init(
    name: String? = nil, access: some ExclusiveAccess<Key>, jobsPerAccess: Int = 100,
    keepsAccessFor keeping: Duration = .zero, capacity: Int? = nil, capacityPerKey: Int? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)?,
    onAccess: (@Sendable (TaskEvent) -> Void)?
  ) {
    // Neither handler has a default: in Swift 5 mode, a trailing closure would otherwise be passed to the last one instead of
    // `onEvent`.
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
  /// The job runs in the calling task and the caller's isolation, with the caller's task-locals, priority and cancellation.
  /// The closure does not escape, need not be Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place among the jobs of the key in this process. The place is taken before this call first suspends.
  ///   Exception: a call made inside a job of the same executor goes ahead of all jobs that have not begun.
  /// - **Cancellation** of the calling task: *before* the call, *waiting* for its turn or for access, or *granted* but not
  ///   begun, the job never runs, its place is given up, and this call throws `CancellationError`; *running*, the job sees
  ///   `Task.isCancelled`. A request for access continues for the callers that still wait, and is cancelled when none is
  ///   left.
  /// - **Isolation:** the caller's. The request to the engine runs in a separate task.
  /// - **Reentrancy:** inside a job of this key, this call throws `JobRejection.deadlock`; inside a job of another key, it
  ///   waits.
  /// - **Limit:** `waitingAtMost` limits the wait for earlier jobs in this process and for access together. A job that has
  ///   not begun when the limit has passed never runs, and the call is rejected with `JobRejection.late`. A running job is
  ///   not limited. A call with a limit is never rejected as a deadlock, and also ends cycles between processes, which no
  ///   process can detect.
  /// - **A request that hangs:** a request for access is cancelled when no job needs it. A late call also cancels a request
  ///   that other jobs need; the next of them sends a new one, which queues behind the requests of other processes.
  ///   Therefore each request has at least the limit of the call, and twice as long as the previous request for the key
  ///   took until it was granted or cancelled by a late call; four times the limit, or ten seconds if that is longer, is
  ///   always enough. With a limit of ten seconds, the first of several requests that hang is cancelled after 10 seconds,
  ///   the second after 20, and each later one after 40. The previous request is forgotten when the key has neither jobs
  ///   nor access.
  /// - **Complexity:** O(1), and a request for access if this process has none. Callers that arrive while others wait or
  ///   run share it, up to `jobsPerAccess` of them.
  ///
  /// If access is refused or fails, all jobs of the key that were waiting for it get the engine's error. If access is lost
  /// while a job runs, ``Fence/check()`` throws. In both cases, the next job sends a new request.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait, on the executor's clock: long enough for the engine to grant access. With
  ///     `.zero` or less, no request is sent, and the job runs only if this process already has access. `nil` means no
  ///     limit.
  ///   - job: The closure to run, with the fence of its grant.
  /// - Returns: The job's result.
  /// - Throws: The job's error, unchanged; the engine's error, if access was refused or failed; ``AccessError``;
  ///   `CancellationError` if the task was cancelled before the job began; otherwise a `JobRejection`.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success {
    try await enqueue(for: key, name: name, waitingAtMost: limit, rejectedAs: { $0.untyped }, job)
  }

  /// Runs the job when it has the turn of its key and this process has access to the key, with typed errors.
  ///
  /// Like ``enqueue(for:name:waitingAtMost:_:)``, but throws the job's error, or what `rejectedAs` returns for a rejection
  /// and for the error of an engine that grants no access.
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
  /// Takes a place for the job and returns; the job runs when it has the turn of its key and this process has access to
  /// the key.
  ///
  /// The job runs in a new task that inherits task-locals, priority and the closure's actor context, as with `Task.init`.
  /// It never starts inside this call.
  ///
  /// - **Order:** by place among the jobs of the key in this process. The place is taken before this call returns.
  /// - **Cancellation:** through the handle, ``cancelAll(for:)`` or ``cancelAll()``. A job that still waits for its turn or
  ///   for access then never runs.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit another job for its own key, but must not wait for it: waiting throws
  ///   `JobRejection.deadlock`.
  /// - **Complexity:** as for ``enqueue(for:name:waitingAtMost:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run, with the fence of its grant.
  /// - Returns: A handle to wait for the job or to cancel it, with the errors of ``enqueue(for:name:waitingAtMost:_:)``.
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
