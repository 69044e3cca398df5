/// Runs one operation for all callers that request the same key at the same time.
///
/// The first caller of a key *leads*: its operation starts. Callers that arrive while it runs *join* it. A cancelled caller leaves
/// at once, and the others keep waiting. When the last caller leaves, the operation is cancelled (but see `runsToEnd`).
///
/// ```swift
/// let profiles = TaskCoalescer<User.ID, Profile>(name: "profiles")
///
/// func profile(of id: User.ID) async throws -> Profile {
///   // Three screens, one request.
///   try await profiles.value(for: id) { try await api.profile(of: id) }
/// }
/// ```
///
/// Nothing is cached: after the operation has ended, the next caller starts a new one. Only
/// ``prefetch(_:expiresAfter:name:priority:_:)`` keeps one result for one later caller.
///
/// **Isolation.** The coalescer is a class, not an actor: any code can call it without a hop.
///
/// **Keys.** `==` runs under a lock and must not call the coalescer. A key that is not equal to itself, such as
/// `Double.nan`, never joins an operation.
///
/// **Reentrancy.** A request that would wait for itself, directly or through others, throws `JobRejection.deadlock(_:)`. If the
/// operation awaits an unstructured task that makes the request, the deadlock is not detected.
public final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Flight = CoalescedFlight<Key, Value>

  /// The name given to the coalescer.
  public let name: String?
  @usableFromInline package let state: Lock<CoalescerState<Key, Value>>
  @usableFromInline package let observers = WaitObservers<CoalescerState<Key, Value>>()
  @usableFromInline package let clock: AnyClock
  @usableFromInline package let reporter: Reporter?
  private let registration = WaitRegistration()

  /// Creates a coalescer.
  ///
  /// - Parameters:
  ///   - name: The name in events and deadlock errors.
  ///   - joinWindow: How long an operation can be joined. A stuck operation then cannot block its key: the next call
  ///     starts another. If that succeeds first, the callers of the older one get its result too, and the older one is
  ///     cancelled. Traps unless positive. `nil` means no limit.
  ///   - runsToEnd: Whether an operation that has begun keeps running, and can be joined, after all its callers have
  ///     left, say because the server has spent a token. ``cancel(_:)`` and ``cancelAll()`` still cancel it.
  ///   - clock: Measures the join window, the expiry of prefetched results, and the times of events.
  ///   - onEvent: See `TaskEvent`.
  @_semantics("optimize.sil.specialize.generic.never")
  public init(
    name: String? = nil, joinWindow: Duration? = nil, runsToEnd: Bool = false,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    Duration.check("joinWindow", joinWindow)
    self.name = name
    self.state = Lock(CoalescerState(joinWindow: joinWindow, runsToEnd: runsToEnd))
    self.clock = AnyClock(clock)
    reporter = Reporter(clock: self.clock, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }
}

// MARK: - Requesting

extension TaskCoalescer {
  /// Returns the result of this call's operation, or of one that is already running for the key.
  ///
  /// - **Order:** the callers of one operation are resumed in order of arrival.
  /// - **Cancellation** of the calling task: *before* the call, nothing starts; *waiting*, the caller leaves at once,
  ///   even if it leads, and the operation continues for the others. When the last one leaves, the *running* operation
  ///   is cancelled and the key is free, unless it is a prefetch or the coalescer was created with `runsToEnd`.
  /// - **Isolation:** the caller's. The operation runs in a new task, with the leader's task-locals, in the closure's
  ///   isolation. The part before its first suspension may run on the leader's thread.
  /// - **Reentrancy:** an operation that requests its own key is rejected, unless the operation can no longer be joined
  ///   (``invalidate(_:)``, `joinWindow`).
  /// - **Priority:** that of the first caller, unless given. An arriving caller raises the operation that it joins, and
  ///   the one that this operation follows.
  /// - **Complexity:** O(1) to lead, join, follow and leave; O(callers) to deliver the result and to replace an operation.
  ///
  /// For the other policies, see ``SharingPolicy``. The operation of ``SharingPolicy/rerun`` is that of the first such
  /// call, and begins when the running one has ended or can no longer be joined. ``SharingPolicy/supersede`` cancels
  /// the running operation even from inside it. Both drop a prefetched result.
  ///
  /// - Throws: The operation's error, to all its callers; `CancellationError`; `JobRejection.withdrawn` after ``cancel(_:)``,
  ///   ``cancelAll()`` or a shutdown whose limit has passed; `JobRejection.closed` after ``close()``; `JobRejection.deadlock(_:)`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(
    for key: Key, policy: SharingPolicy = .join, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await answer(for: key, policy: policy, name: name, priority: priority, operation).value
  }

  /// Like ``value(for:policy:name:priority:_:)``, and says whether this call led, joined or was served a prefetched
  /// result.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func answer(
    for key: Key, policy: SharingPolicy = .join, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> CoalescedAnswer<Value> {
    let caller = FlightCaller<Flight>(name: name, priority: Task.currentPriority.rawValue)
    // Safe because the closure is passed on once.
    nonisolated(unsafe) let operation = operation
    var served: Value?
    let why = await wait(caller) { depart(key, policy, caller, &served, priority: priority, operation) }
    if let why { throw JobRejection.untyped(why) }
    if let served { return CoalescedAnswer(value: served, source: .prefetched) }
    return try answer(of: caller)
  }

  /// Passes the result or the error to a completion handler, for synchronous code.
  ///
  /// Like ``value(for:policy:name:priority:_:)``, but the caller never leaves. Where the system can start a task at once
  /// (macOS 26, iOS 26 …, Linux), the call has joined or started an operation before it returns, and the operation may run
  /// inside this call up to its first suspension. The handler is called once, in its own isolation, and never inside this
  /// call. ``drain()`` and ``shutDown(within:)`` wait for it.
  public func value(
    for key: Key, policy: SharingPolicy = .join, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async throws -> Value,
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    pass(to: completion, name: name, priority: priority) {
      try await self.value(for: key, policy: policy, name: name, priority: priority, operation)
    }
  }
}
