/// Runs async jobs of one key strictly one after the other, and jobs of different keys at the same time.
///
/// ```swift
/// let accounts = KeyedSerialTaskExecutor<User.ID>(name: "accounts")
///
/// func deposit(_ amount: Int, for id: User.ID) async throws {
///   try await accounts.enqueue(for: id) {            // after the earlier jobs of this user,
///     let account = try await store.account(of: id)  // beside those of everybody else
///     try await store.save(account.adding(amount))
///   }
/// }
/// ```
///
/// Equivalent to one ``SerialTaskExecutor`` for each key, each with all its promises, but for this: a key of which no
/// job waits or runs costs nothing, so there may be any number of keys; and all of them are paused, closed, cancelled
/// and drained together, keys that come later included.
///
/// **Order.** First in, first out by place among the jobs of one key; nothing is promised between two keys.
///
/// **Reentrancy.** A job that would wait for its own key is turned away with ``JobRejection/deadlock(_:)``, which
/// names the keys: `accounts[ann] → accounts[bob] → accounts[ann]`. It may wait for another key; of two jobs that wait
/// for each other's keys, the one that closes the cycle is turned away.
///
/// **Isolation.** It is a class and not an actor: it is entered from any isolation, synchronous code included,
/// without a hop.
///
/// **Keys** are compared under a lock, so `==` must not call the executor. Nothing else of a key is touched there. A key
/// that is not equal to itself, such as `Double.nan`, is another key in each call: its job waits for no other.
///
/// The executor may be let go while jobs wait: what holds them lives until they are settled. If it was paused, they
/// run.
public final class KeyedSerialTaskExecutor<Key: Hashable & Sendable>: Sendable {
  @usableFromInline let lines: KeyedLines<Key>

  /// Makes an executor.
  ///
  /// - Parameters:
  ///   - name: What events and deadlocks call it, followed by the key: `accounts[ann]`.
  ///   - capacityPerKey: Most jobs of one key that may wait; one more is rejected ``JobRejection/full(capacity:)``.
  ///     At least 1, or this traps. `nil`, the default, is no limit. A job that ``pause()`` puts back is never
  ///     rejected for it.
  ///   - onEvent: Called for what happens to each job; see ``TaskEvent`` for when and where. Each key counts as an
  ///     executor of its own there.
  public init(
    name: String? = nil, capacityPerKey: Int? = nil, onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    lines = KeyedLines(name: name, capacity: capacityPerKey, onEvent: onEvent)
  }

  /// Nobody is left who could end a pause, and no job is to be lost.
  deinit { lines.resume() }

  /// The name given to the executor.
  public var name: String? { lines.name }
}

// MARK: - Waiting for a job

extension KeyedSerialTaskExecutor {
  /// Runs the job when the turn of its key has come, and returns what it returns.
  ///
  /// Equivalent to calling the job directly, but for when it starts: it runs in the calling task and in the caller's
  /// isolation, and sees the caller's task-locals, priority and cancellation. The closure does not escape, need not be
  /// Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place among the jobs of the key, and the place is taken before this call first suspends.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call leaves the
  ///   line at once; *granted* but not begun, the turn is passed on. In these three the job never runs, not one
  ///   instruction of it, and `CancellationError` is thrown. *Running*, the job sees it as `Task.isCancelled` and
  ///   decides for itself.
  /// - **Isolation:** the caller's. A free key costs no suspension and no hop, from the main actor either.
  /// - **Reentrancy:** from inside a job of this key it throws ``JobRejection/deadlock(_:)``; from inside a job of
  ///   another key it waits.
  /// - **Complexity:** O(1), however many keys there are.
  ///
  /// - Parameters:
  ///   - key: Whose job it is.
  ///   - name: What events and snapshots call the job.
  ///   - job: What to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    let line = lines.use(key)
    defer { lines.release(line) }
    return try await line.perform(name: name, rejectedAs: JobRejection.untyped, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// ```swift
  /// try await accounts.enqueue(for: id, rejectedAs: BankError.unavailable) { () async throws(BankError) in
  ///   try await bank.deposit(amount, for: id)
  /// }
  /// ```
  ///
  /// Like ``enqueue(for:name:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: Whose job it is.
  ///   - name: What events and snapshots call the job.
  ///   - rejectedAs: Makes the error for a job that was turned away, ``JobRejection/cancelled`` included.
  ///   - job: What to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    for key: Key, name: String? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let line = lines.use(key)
    defer { lines.release(line) }
    return try await line.perform(name: name, rejectedAs: rejectedAs, job)
  }
}

// MARK: - Submitting a job

extension KeyedSerialTaskExecutor {
  /// Takes a place for the job and returns; the job runs when the turn of its key has come.
  ///
  /// Equivalent to `Task { … }`, but for when it starts: the job runs in a task of its own that inherits task-locals,
  /// priority and the closure's actor context like `Task.init`. It never starts inside this call, also when the key
  /// is free.
  ///
  /// - **Order:** by place among the jobs of the key, and the place is taken before this call returns; so two calls
  ///   in a row for one key run in that order.
  /// - **Cancellation:** through the handle, ``cancelAll(for:)`` or ``cancelAll()``. Like `Task.init` it does not ask
  ///   whether the calling task is cancelled.
  /// - **Isolation:** of the closure.
  /// - **Reentrancy:** a job may submit another for its own key; it must not wait for it, and if it does, waiting
  ///   throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1).
  ///
  /// - Parameters:
  ///   - key: Whose job it is.
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is the caller's. It changes nothing in the order.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public func submit<Success: Sendable>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success, any Error> {
    lines.use(key).submit(owner: lines, name: name, priority: priority, rejectedAs: nil, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Like ``submit(for:name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: Whose job it is.
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is the caller's. It changes nothing in the order.
  ///   - rejectedAs: Makes the error for a job that was turned away, and for a task that stopped waiting for it.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public func submit<Success: Sendable, Failure: Error>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    rejectedAs: @escaping @Sendable (JobRejection) -> Failure,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    lines.use(key).submit(owner: lines, name: name, priority: priority, rejectedAs: rejectedAs, job)
  }
}
