/// Runs the async jobs of each key strictly one after the other, and jobs of different keys at the same time.
///
/// ```swift
/// let accounts = KeyedSerialTaskExecutor<User.ID>(name: "accounts")
///
/// func deposit(_ amount: Int, for id: User.ID) async throws {
///   try await accounts.enqueue(for: id) {            // after the earlier jobs of this user,
///     let account = try await store.account(of: id)  // beside those of other users
///     try await store.save(account.adding(amount))
///   }
/// }
/// ```
///
/// Equivalent to one ``SerialTaskExecutor`` for each key, each with all its promises, with three differences. A key with no
/// waiting or running job costs nothing, so there may be any number of keys. A job may belong to several keys
/// (``enqueue(forAll:name:waitingAtMost:_:)``). All keys are paused, closed, cancelled and drained together, including keys
/// that are first used later.
///
/// **Order.** First in, first out by place among the jobs of one key. A job over several keys takes its places on all of them
/// in one step, so such jobs never wait for each other in a circle. Nothing is promised between jobs without a common key.
///
/// **Reentrancy.** A job that would wait for its own key is rejected with ``JobRejection/deadlock(_:)``, which names the
/// keys: `accounts[ann] → accounts[bob] → accounts[ann]`. A job may wait for another key. Of two jobs that wait for each
/// other's keys, the one that closes the cycle is rejected.
///
/// **Isolation.** The executor is a class and not an actor: it can be called from any isolation, and from synchronous
/// code, without a hop.
///
/// **Keys** are compared under a lock, so `==` must not call the executor. Nothing else of a key is touched under the
/// lock. A key that is not equal to itself, such as `Double.nan`, is another key in each call: its job waits for no other
/// job.
///
/// The executor may be released while jobs wait: what they need stays alive until they are settled. If it was paused, the
/// jobs run.
public final class KeyedSerialTaskExecutor<Key: Hashable & Sendable>: Sendable {
  @usableFromInline package let line: KeyedLine<Key>

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The executor's name in events, and in deadlock errors, where the key follows it: `accounts[ann]`.
  ///   - capacity: The maximum number of waiting jobs of all keys together, whether they wait for other jobs, for one of
  ///     `maximumConcurrentJobs`, or for the end of a pause. A job over several keys counts once. A further job that would have to
  ///     wait is rejected with ``JobRejection/full(capacity:)``. Must be at least 1, or this initializer traps. `nil`, the default,
  ///     means no limit. A job that ``pause()`` puts back is never rejected because of the limit.
  ///   - capacityPerKey: The maximum number of waiting jobs of one key, so that one busy key does not use up the capacity.
  ///     One more is rejected with ``JobRejection/keyFull(capacity:)``. Otherwise like `capacity`; a job over several keys counts
  ///     on each of them. If both are reached, the error is that of `capacity`.
  ///   - maximumConcurrentJobs: The maximum number of jobs that run at the same time; a job over several keys counts once. Jobs
  ///     that could run otherwise get a free slot in the order in which they became ready, one for each key at a time: so a key
  ///     with many waiting jobs delays another key by one job for each slot. A call inside a turn uses the slot of that turn: the
  ///     limit counts turns, and not the calls that run inside them, such as those of the job's child tasks. Must be at least 1,
  ///     or this initializer traps. `nil`, the default, means no limit.
  ///   - reportsTurnsLongerThan: A turn that is held for longer is reported to `onEvent` once, as
  ///     ``TaskEvent/Kind/heldTooLong(waiting:startedInTurn:)``. Must be positive, or this initializer traps. `nil`, the
  ///     default, means no limit, and sets no timer.
  ///   - clock: Measures how long jobs wait and run, for limits and events.
  ///   - onEvent: Called for what happens to each job; see ``TaskEvent`` for when and where.
  @inlinable
  public init(
    name: String? = nil, capacity: Int? = nil, capacityPerKey: Int? = nil, maximumConcurrentJobs: Int? = nil,
    reportsTurnsLongerThan: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    // Not a precondition: those say nothing in release builds.
    if let limit = maximumConcurrentJobs, limit < 1 {
      fatalError("maximumConcurrentJobs must be at least 1, and is \(limit)")
    }
    line = KeyedLine(
      name: name, type: .keyedSerialTaskExecutor, reportsKeys: true, capacity: capacity, capacityPerKey: capacityPerKey,
      slots: maximumConcurrentJobs, kind: maximumConcurrentJobs == nil ? [] : [.slot], clock: clock,
      turnLimit: reportsTurnsLongerThan, onEvent: onEvent)
  }

  /// Resumes the executor: nothing else can end a pause any more, and no job may be lost.
  deinit { line.resume() }

  /// Stands in front of a line that another type has made.
  package init(_ line: KeyedLine<Key>) { self.line = line }

  /// The name given to the executor.
  public var name: String? { line.name }
}

// MARK: - Waiting for a job

extension KeyedSerialTaskExecutor {
  /// Runs the job when the turn of its key has come, and returns what it returns.
  ///
  /// Equivalent to calling the job directly, except for when it starts. The job runs in the calling task and in the caller's
  /// isolation, and sees the caller's task-locals, priority and cancellation. The closure does not escape, need not be
  /// Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place among the jobs of the key. The place is taken before this call first suspends.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call leaves the line at
  ///   once; *granted* but not begun, the turn is passed on. In these three cases the job never runs, not one instruction of
  ///   it, and this call throws `CancellationError`. *Running*, the job sees `Task.isCancelled` and decides for itself.
  /// - **Isolation:** the caller's. A free key costs no suspension and no hop, not even from the main actor.
  /// - **Reentrancy:** from inside a job of this key, this call throws ``JobRejection/deadlock(_:)``; from inside a job of
  ///   another key, it waits.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed never runs: the call leaves its
  ///   place as if it were cancelled, and is rejected with ``JobRejection/late``. A job that has begun is not limited. A call
  ///   with a limit is never rejected as a deadlock; if it waits for itself, it is late. There is no timer unless the call has
  ///   to wait; then one sleeping task serves all limits of the executor.
  /// - **Complexity:** O(1), however many keys there are, and O(jobs ahead) for each higher priority with which a caller waits
  ///   or from inside another job.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once. `nil`, the default, means no limit.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(key), kind: line.kindOfJobs, name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped,
      job)
  }

  /// Runs the job when the turn of its key has come, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type.
  ///
  /// ```swift
  /// try await accounts.enqueue(for: id, rejectedAs: BankError.unavailable) {
  ///   () async throws(BankError) in
  ///   try await bank.deposit(amount, for: id)
  /// }
  /// ```
  ///
  /// Like ``enqueue(for:name:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: Touched(key), kind: line.kindOfJobs, name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }
}

// MARK: - Submitting a job

extension KeyedSerialTaskExecutor {
  /// Takes a place for the job and returns; the job runs when the turn of its key has come.
  ///
  /// Equivalent to `Task { … }`, except for when the job starts. It runs in a task of its own that inherits task-locals,
  /// priority and the closure's actor context, as with `Task.init`. It never starts inside this call, even if the key is
  /// free.
  ///
  /// - **Order:** by place among the jobs of the key. The place is taken before this call returns, so two calls in a row for
  ///   one key run in that order.
  /// - **Cancellation:** through the handle, ``cancelAll(for:)`` or ``cancelAll()``. Like `Task.init`, this call does not
  ///   check whether the calling task is cancelled.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit another job for its own key, but must not wait for it. If it does, waiting throws
  ///   ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1), and O(jobs ahead) for each higher priority with which a job waits.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submit<Success: Sendable>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let touched = Touched(key)
    return line.submit(name: name, priority: priority, job) {
      line.join($0, touching: touched, kind: line.kindOfJobs)
    }
  }
}
