// MARK: - Jobs over several keys

extension KeyedSerialTaskExecutor {
  /// Runs the job when the turns of all the keys have come, and returns what it returns.
  ///
  /// The job takes its places on all keys in one step, so two such jobs never wait for each other, in whatever order they name
  /// their keys. While it runs, no other job of any of the keys does.
  ///
  /// ```swift
  /// try await bank.enqueue(forAll: [payer, payee]) {
  ///   try await store.move(amount, from: payer, to: payee)
  /// }
  /// ```
  ///
  /// - **Order:** by place among the jobs of each key. The places are taken before this call first suspends. It waits for the
  ///   jobs that have an earlier place on one of the keys, and for no others.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call gives up all its places
  ///   at once, and jobs that waited only for it go on; *granted* but not begun, the turns are passed on. In these three cases
  ///   the job never runs, and this call throws `CancellationError`. *Running*, the job sees `Task.isCancelled` and decides for
  ///   itself.
  /// - **Isolation:** the caller's. The closure does not escape and need not be Sendable.
  /// - **Reentrancy:** from inside a job of one of the keys, this call throws ``JobRejection/deadlock(_:)``; from inside a job
  ///   of other keys, it waits.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed never runs: the call leaves its
  ///   place as if it were cancelled, and is rejected with ``JobRejection/late``. A job that has begun is not limited. A call
  ///   with a limit is never rejected as a deadlock; if it waits for itself, it is late. There is no timer unless the call has
  ///   to wait; then one sleeping task serves all limits of the executor.
  /// - **Complexity:** O(keys of the job), however many keys and jobs there are. From inside another job, and for
  ///   each higher priority, O(jobs ahead).
  ///
  /// - Parameters:
  ///   - keys: The keys that the job belongs to. A key that is named twice counts once. With no keys, the job waits for no
  ///     other job, only for the end of a pause and for a free slot.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once. `nil`, the default, means no limit.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    forAll keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(keys), kind: line.kindOfJobs, name: name, waitingAtMost: limit,
      rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when the turns of all the keys have come, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``enqueue(forAll:name:waitingAtMost:_:)`` in every other
  /// respect.
  ///
  /// - Parameters:
  ///   - keys: The keys that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    forAll keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: Touched(keys), kind: line.kindOfJobs, name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }

  /// Takes a place on each of the keys and returns; the job runs when the turns of all of them have come.
  ///
  /// The job runs in a task of its own that inherits task-locals, priority and the closure's actor context, as with
  /// `Task.init`. It never starts inside this call. Like ``enqueue(forAll:name:waitingAtMost:_:)`` as to what it waits for, and
  /// like ``submit(for:name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - keys: The keys that the job belongs to.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submit<Success: Sendable>(
    forAll keys: some Sequence<Key>, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let touched = Touched(keys)
    return line.submit(name: name, priority: priority, job) {
      line.join($0, touching: touched, kind: line.kindOfJobs)
    }
  }
}
