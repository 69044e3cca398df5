import SerialTasks

/// Runs the async jobs of each key strictly one after the other, across processes, and gives each job a fence.
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
/// transaction of the read, and reject a number lower than one it has learned. *Beyond one process*, in the documentation of the
/// library, has the function to copy, with its SQL. Without the number, an update is lost now and then: the engine promises
/// exclusion, but cannot enforce it on a process that is paused without noticing.
///
/// In each process, the jobs of a key run like the jobs of a `KeyedSerialTaskExecutor`, with the same promises about order,
/// isolation, cancellation, errors and deadlocks. Before the first job of a key runs, the executor requests the key from an
/// ``ExclusiveAccess``. It releases access when no job of the key is left, or some time later (`keepsAccessFor:`), or after a
/// number of jobs, to let other processes work (`jobsPerAccess`). All callers of a key in this process share one request.
///
/// Not supported: `submitDetached`, `preconditionInJob(for:)`, `maximumConcurrentJobs` and `reportsTurnsLongerThan`.
///
/// **Order.** First in, first out by place among the jobs of one key in this process. Between processes, the engine decides.
///
/// **Reentrancy.** A job that would wait for its own key is rejected with `JobRejection.deadlock`, as are cycles through several
/// keys, executors and flights of this process. A cycle through another process, or through two executors that share an engine,
/// is not detected. To avoid such cycles, name all keys of a job at once (``enqueue(forAll:name:waitingAtMost:_:)``).
///
/// **Keys** are compared under a lock: `==` must not call the executor.
///
/// The executor may be released while jobs wait: they still run.
public final class FencedSerialTaskExecutor<Key: Hashable & Sendable>: Sendable {
  package let lines: KeyedSerialTaskExecutor<Key>
  let desk: AccessDesk<Key>
  let clock: AnyClock

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The executor's name in events, and in deadlock errors, where the key follows it: `accounts[ann]`.
  ///   - access: The engine that grants access to a key.
  ///   - jobsPerAccess: The maximum number of jobs that run under one grant. After it, access is released, and jobs that still
  ///     wait request it again. Must be at least 1, or this initializer traps. A low number is fair to other processes, a high
  ///     one is fast: each grant of ``LockFolder`` costs a write to the disk.
  ///   - keeping: How long this process keeps access to a key after its last job. The default is zero. Access is released earlier
  ///     if another process requests it or `jobsPerAccess` jobs have run, and by ``close()``, ``drain()``, ``shutDown(within:)``
  ///     and ``pause()``. If only one process uses a key, it then needs a grant now and then instead of one for each job. A
  ///     process that requests the key waits until the engine reports its request
  ///     (``ExclusiveAccess/waitUntilAnotherAsks(for:under:)``) or, if the engine cannot, until the time is over. If jobs keep
  ///     coming here after the report, it waits for this time and the running job, at most. A kept key costs the engine as much
  ///     as a used one: with ``LockFolder``, an open file.
  ///   - capacity: The maximum number of waiting jobs of all keys together, whether they wait for other jobs, for access, or for
  ///     the end of a pause. A job over several keys counts once. A further job that would have to wait is rejected with
  ///     `JobRejection.full(capacity:)`; a submitted job that finds its keys free is rejected when its task requests access. Must
  ///     be at least 1, or this initializer traps. `nil`, the default, means no limit. A job between its turn and its request for
  ///     access is not counted, which lets a few more wait.
  ///   - capacityPerKey: The maximum number of jobs of one key that wait for other jobs or for the end of a pause, which keeps
  ///     one busy key from using up the capacity. The job that waits for access does not count; a job over several keys counts on
  ///     each of them. A further job is rejected with `JobRejection.keyFull(capacity:)`. Otherwise like `capacity`. If both
  ///     limits are reached, the error is the one of `capacity`.
  ///   - clock: Measures how long jobs wait and run, for limits and events.
  ///   - onEvent: Called for what happens to each job; see `TaskEvent`. A job *begins* when it has its turn and access to its
  ///     key: `waited` includes the wait for access, `ran` does not. A job that is late, cancelled or withdrawn before that is
  ///     reported `rejected`. If the engine grants no access, the job begins and *fails* at once, with the engine's error.
  public convenience init(
    name: String? = nil, access: some ExclusiveAccess<Key>, jobsPerAccess: Int = 100,
    keepsAccessFor keeping: Duration = .zero, capacity: Int? = nil, capacityPerKey: Int? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.init(
      name: name, access: access, jobsPerAccess: jobsPerAccess, keepsAccessFor: keeping, capacity: capacity,
      capacityPerKey: capacityPerKey, clock: clock, onEvent: onEvent, onAccess: nil)
  }

  /// Creates an executor that also reports its requests for access.
  ///
  /// Otherwise like the initializer without `onAccess`.
  ///
  /// - Parameters:
  ///   - name: The executor's name.
  ///   - access: The engine that grants access to a key.
  ///   - jobsPerAccess: The maximum number of jobs that run under one grant.
  ///   - keeping: How long this process keeps access to a key after its last job.
  ///   - capacity: The maximum number of waiting jobs of all keys together.
  ///   - capacityPerKey: The maximum number of waiting jobs of one key.
  ///   - clock: Measures how long jobs wait and run.
  ///   - onEvent: Called for what happens to each job.
  ///   - onAccess: Called for what happens to each request for access, as `TaskEvent`s. A request *begins* when it is sent to the
  ///     engine, *finishes* when access has been released, and *fails* if the engine fails at either. The executor of these
  ///     events is called `accounts access`.
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
      name: name, type: .fencedSerialTaskExecutor, reportsKeys: true, capacity: capacity,
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

  /// The name passed to the initializer.
  public var name: String? { lines.name }
}

// MARK: - Waiting for a job

extension FencedSerialTaskExecutor {
  /// Runs the job when its key's turn has come and this process has access to the key, and returns the job's result.
  ///
  /// The job runs in the calling task and in the caller's isolation, with the caller's task-locals, priority and cancellation.
  /// The closure does not escape, need not be Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place among the jobs of the key in this process. The place is taken before this call first suspends.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting* for its turn or for access, the call
  ///   leaves at once; *granted* but not begun, the turn is passed on. In these cases the job never runs, and this call throws
  ///   `CancellationError`. *Running*, the job sees `Task.isCancelled` and decides for itself. A request for access continues for
  ///   the callers that still wait, and is cancelled when none is left.
  /// - **Isolation:** the caller's. The request to the engine runs in a separate task.
  /// - **Reentrancy:** from inside a job of this key, this call throws `JobRejection.deadlock`; from inside a job of another key,
  ///   it waits.
  /// - **Limit:** `waitingAtMost` limits the wait for earlier jobs in this process and for access together. A job that has not
  ///   begun when the limit has passed never runs, and the call is rejected with `JobRejection.late`. A job that has begun is not
  ///   limited. A call with a limit is never rejected as a deadlock, and also ends cycles between processes, which no process can
  ///   detect.
  /// - **A request that hangs:** a request for access is cancelled when no job needs it any more. A late call also cancels a
  ///   request that other jobs need; the next of them sends a new one, which queues behind the requests of other processes. A
  ///   late call only cancels a request that is old enough:
  ///   - as old as the limit of the call, and
  ///   - twice as old as the last request for the key was when it was granted or cancelled by a late call, or else four times as
  ///     old as the limit and at least ten seconds. The last request is forgotten when the key has neither jobs nor access.
  /// - **Complexity:** O(1), and a request for access if this process has none. Callers that arrive while others wait or run
  ///   share it, up to `jobsPerAccess` of them; a caller that finds no other job of its key sends its own.
  ///
  /// If access is refused or fails, the engine's error reaches all jobs of the key that were waiting for it. Later jobs send a
  /// new request. If access is lost while a job runs, the job can notice with ``Fence/check()``; the next job sends a new
  /// request.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait, on the executor's clock. It must be long enough for the engine to grant access. With
  ///     `.zero` or less, no request is sent: the job runs only if this process already has access. `nil`, the default, means no
  ///     limit.
  ///   - job: The closure to run, with the fence of its grant.
  /// - Returns: The job's result.
  /// - Throws: What the job throws, unchanged; the engine's error, if access was refused or failed; ``AccessError``;
  ///   `CancellationError` if the task was cancelled before the job began; otherwise a `JobRejection`.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success {
    try await enqueue(for: key, name: name, waitingAtMost: limit, rejectedAs: { $0.untyped }, job)
  }

  /// Runs the job when its key's turn has come and this process has access to the key, with typed errors.
  ///
  /// A rejection, and the error of an engine that grants no access, are mapped to the caller's error type. Otherwise like
  /// ``enqueue(for:name:waitingAtMost:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a job that never ran.
  ///   - job: The closure to run, with the fence of its grant.
  /// - Returns: The job's result.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
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
  /// Takes a place for the job and returns; the job runs when its key's turn has come and this process has access to the key.
  ///
  /// The job runs in a new task that inherits task-locals, priority and the closure's actor context, as with `Task.init`. It
  /// never starts inside this call.
  ///
  /// - **Order:** by place among the jobs of the key in this process. The place is taken before this call returns.
  /// - **Cancellation:** through the handle, ``cancelAll(for:)`` or ``cancelAll()``. A job that still waits for its turn or for
  ///   access then never runs.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit another job for its own key, but must not wait for it: waiting throws
  ///   `JobRejection.deadlock`.
  /// - **Complexity:** as of ``enqueue(for:name:waitingAtMost:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run, with the fence of its grant.
  /// - Returns: A handle to wait for the job or to cancel it. Its errors are those of ``enqueue(for:name:waitingAtMost:_:)``.
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
