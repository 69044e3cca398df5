/// Runs the async jobs of each key strictly one after another, and jobs of different keys at the same time.
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
/// Equivalent to one ``SerialTaskExecutor`` for each key, with three differences. A key without jobs costs nothing. A
/// job may belong to several keys (``enqueue(touching:name:waitingAtMost:_:)``). All keys are paused, closed, cancelled
/// and drained together, including keys that are first used later.
///
/// **Order.** By place among the jobs of one key. There is no order between jobs without a common key. Exception: a call made
/// inside a job of the same executor goes ahead of all jobs that have not begun (article *Deadlocks*, *Calls made inside a job*).
///
/// **Reentrancy.** A job may wait for another key. A call that would wait for its own key, or closes a cycle of keys, is rejected
/// with ``JobRejection/deadlock(_:)``, which names the keys: `accounts[ann] → accounts[bob] → accounts[ann]`.
///
/// **Isolation.** The executor is a class, not an actor: any code can call it without a hop.
///
/// **Keys.** `==` runs under a lock and must not call the executor. A key that is not equal to itself, such as
/// `Double.nan`, is a new key in each call: its job waits for no other job.
public final class KeyedSerialTaskExecutor<Key: Hashable & Sendable>: Sendable {
  @usableFromInline package let line: KeyedLine<Key>

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The name in events and deadlock errors, where the key follows it: `accounts[ann]`.
  ///   - capacity: The maximum number of jobs that wait for other jobs, for one of `maximumConcurrentJobs`, or for the
  ///     end of a pause. A job with several keys counts once. Another job that would have to wait is rejected with
  ///     ``JobRejection/full(capacity:)``, except a call made inside a job. Traps if less than 1. `nil` means no limit.
  ///   - capacityPerKey: The maximum number of waiting jobs of one key; a job with several keys counts on each. Another job is
  ///     rejected with ``JobRejection/keyFull(capacity:)``, unless `capacity` rejects it first. Otherwise like `capacity`.
  ///   - maximumConcurrentJobs: The maximum number of jobs that run at the same time; a job with several keys counts
  ///     once. Jobs that are otherwise ready get a free slot in the order in which they became ready, one for each key
  ///     at a time: a key with many jobs delays another by at most one job for each slot. Calls made inside a job, also
  ///     in its child tasks, use its slot. Traps if less than 1. `nil` means no limit.
  ///   - reportsTurnsLongerThan: As for ``SerialTaskExecutor``.
  ///   - clock: Measures times for limits and events.
  ///   - onEvent: See ``TaskEvent``.
  @_alwaysEmitIntoClient
  public init(
    name: String? = nil, capacity: Int? = nil, capacityPerKey: Int? = nil, maximumConcurrentJobs: Int? = nil,
    reportsTurnsLongerThan: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    Line.check("maximumConcurrentJobs", maximumConcurrentJobs)
    line = KeyedLine(
      name: name, type: "KeyedSerialTaskExecutor", reportsKeys: true, capacity: capacity,
      capacityPerKey: capacityPerKey,
      slots: maximumConcurrentJobs, kind: maximumConcurrentJobs == nil ? [] : [.slot], clock: clock,
      turnLimit: reportsTurnsLongerThan, onEvent: onEvent)
  }

  /// Only this can still end a pause: no job may be lost.
  deinit { line.resume() }

  package init(_ line: KeyedLine<Key>) { self.line = line }

  /// The name given to the executor.
  public var name: String? { line.name }
}

// MARK: - Waiting for a job

extension KeyedSerialTaskExecutor {
  /// Runs the job when it has the turn of its key, and returns its result.
  ///
  /// Like ``SerialTaskExecutor/enqueue(name:waitingAtMost:_:)``, for each key separately:
  ///
  /// - **Order:** by place among the jobs of the key. The place is taken before this call first suspends.
  /// - **Reentrancy:** inside a job of this key, this call throws ``JobRejection/deadlock(_:)``. Inside a job of
  ///   another key, it goes ahead of all jobs that have not begun, and waits only for running jobs.
  /// - **Complexity:** O(1), however many keys there are; O(jobs ahead) for each higher priority with which a caller
  ///   waits, or inside another job.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(key), kind: line.kindOfJobs, name: name, waitingAtMost: limit,
      rejectedBy: JobRejection.throwUntyped, job)
  }

  /// Runs the job with typed errors.
  ///
  /// ```swift
  /// try await accounts.enqueue(for: id, rejectedAs: BankError.unavailable) {
  ///   () async throws(BankError) in
  ///   try await bank.deposit(amount, for: id)
  /// }
  /// ```
  ///
  /// Like ``enqueue(for:name:waitingAtMost:_:)``, but throws the job's error or what `rejectedAs` returns, also for
  /// ``JobRejection/cancelled``.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: Touched(key), kind: line.kindOfJobs, name: name, waitingAtMost: limit,
      rejectedBy: { (why) throws(Failure) in throw rejectedAs(why) }, job)
  }
}

// MARK: - Submitting a job

extension KeyedSerialTaskExecutor {
  /// Takes a place for the job and returns; the job runs when it has the turn of its key.
  ///
  /// Like ``SerialTaskExecutor/submit(name:priority:_:)``, for each key separately; ``cancelAll(for:)`` cancels it too.
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
