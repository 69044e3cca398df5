/// Does the same work once for all who want it at the same time.
///
/// The first caller of a key *leads*: its operation starts. Callers that come while it runs *join* it. Each waits for itself,
/// and leaves when it is cancelled, without touching the others; when the last one leaves, the operation is cancelled.
///
/// ```swift
/// let profiles = TaskCoalescer<User.ID, Profile>(name: "profiles")
///
/// func profile(of id: User.ID) async throws -> Profile {
///   try await profiles.value(for: id) { try await api.profile(of: id) }  // three screens, one request
/// }
/// ```
///
/// Nothing is cached: when the operation has ended, the next caller starts afresh, whether it returned or threw. The one
/// exception is asked for by name: ``prefetch(_:expiresAfter:name:priority:_:)`` keeps one result for one later caller.
///
/// **Isolation.** It is a class and not an actor: it is entered from any isolation, synchronous code included, without a hop.
///
/// **Keys** are compared under a lock, so `==` must not call the coalescer. A key that is not equal to itself, such as
/// `Double.nan`, is another key in each call: its operation is shared with no other caller.
///
/// **Reentrancy.** An operation may ask for other keys. One that would wait for itself, directly or through others, is turned
/// away with ``JobRejection/deadlock(_:)`` instead of hanging; not if it awaits an unstructured task that does, for nobody can
/// know that.
public final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Flight = CoalescedFlight<Key, Value>

  /// The name given to the coalescer.
  public let name: String?
  @usableFromInline let state: Lock<CoalescerState<Key, Value>>
  @usableFromInline let time: AnyClock
  @usableFromInline let onEvent: (@Sendable (TaskEvent) -> Void)?
  @usableFromInline let sweepers = Lock<[Duration: Task<Void, Never>?]>([:])

  /// Makes a coalescer.
  ///
  /// - Parameters:
  ///   - name: What events and deadlocks call it.
  ///   - joinWindow: A flight older than this is no longer joined, so that a stuck operation cannot hold its key for ever;
  ///     those on board still get its answer. `nil`, the default, is no limit. Must be positive, or this traps.
  ///   - clock: Measures the join window and the expiry of what was prefetched.
  ///   - onEvent: Called for what happens to each flight and each caller; see ``TaskEvent``.
  public init(
    name: String? = nil, joinWindow: Duration? = nil, clock: some Clock<Duration> = ContinuousClock(),
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    if let joinWindow, joinWindow <= .zero { fatalError("joinWindow must be positive, and is \(joinWindow)") }
    self.name = name
    self.state = Lock(CoalescerState(joinWindow: joinWindow))
    self.time = AnyClock(clock)
    self.onEvent = onEvent
  }

  deinit { for sweeper in sweepers.withLock({ Array($0.values) }) { sweeper?.cancel() } }
}

// MARK: - Asking

extension TaskCoalescer {
  /// Returns what the operation returns: that of this call, or that of a flight that runs already.
  ///
  /// - **Order:** those who wait for one flight are resumed in the order in which they came.
  /// - **Cancellation** of the calling task: *before* the call, nothing is started; *waiting*, it leaves at once, the leader
  ///   too, and the operation goes on for the others; when the last has left, the operation is cancelled and the key is free.
  /// - **Isolation:** the caller's. The operation runs in a task of its own, with the leader's task-locals, in the
  ///   closure's isolation; what it does before its first suspension may run on the leader's thread.
  /// - **Reentrancy:** an operation that asks for its own key is rejected; it may ask for others.
  /// - **Complexity:** O(1) to lead, to join and to leave; O(callers) to land.
  ///
  /// A caller that is more urgent than the operation when it comes raises it.
  ///
  /// - Parameters:
  ///   - key: What is asked for.
  ///   - name: What events call the flight, and the name of its task.
  ///   - priority: The priority of the operation if this call leads; `nil` is the caller's.
  ///   - operation: Does the work, if nobody does yet.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, to all who wait for it; `CancellationError` if the caller's task was cancelled;
  ///   ``JobRejection/withdrawn`` after ``cancel(_:)``; ``JobRejection/deadlock(_:)``.
  @inlinable
  public nonisolated(nonsending) func value(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await answer(for: key, name: name, priority: priority, operation).value
  }

  /// The same, with how the caller came by it.
  ///
  /// Like ``value(for:name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: What is asked for.
  ///   - name: What events call the flight, and the name of its task.
  ///   - priority: The priority of the operation if this call leads; `nil` is the caller's.
  ///   - operation: Does the work, if nobody does yet.
  /// - Returns: What the operation returned, and whether this call led, joined or was served what was prefetched.
  /// - Throws: What ``value(for:name:priority:_:)`` throws.
  @inlinable
  public nonisolated(nonsending) func answer(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> CoalescedAnswer<Value> {
    let caller = Waiter(name: name, priority: Task.currentPriority.rawValue)
    var boarding = try board(key, caller, priority: priority, from: nil)
    while case .joined(let flight) = boarding {
      try await waitForResult(of: flight, caller)
      if !flight.isFailedPrefetch { return CoalescedAnswer(value: try flight.result!.get(), source: .joined) }
      // That is none of its callers' doing: they come again, and one of them leads with its own operation.
      boarding = try board(key, caller, priority: priority, from: flight)
    }
    switch boarding {
    case .served(let value): return CoalescedAnswer(value: value, source: .prefetched)
    case .leads(let flight), .joined(let flight):
      if !start(flight, operation) { try await waitForResult(of: flight, caller) }
      return CoalescedAnswer(value: try flight.result!.get(), source: .led)
    }
  }

  /// The same for code that is not asynchronous.
  ///
  /// A caller like any other, but for that it does not leave. Its place on the flight is taken before this returns where the
  /// system can start a task at once (macOS 26, iOS 26 …, Linux); the operation may then run inside this call to its first
  /// suspension. The completion never runs inside this call.
  ///
  /// - Parameters:
  ///   - key: What is asked for.
  ///   - name: What events call the flight, and the name of its task.
  ///   - priority: The priority of the operation if this call leads; `nil` is the caller's.
  ///   - operation: Does the work, if nobody does yet.
  ///   - completion: Called once, with what ``value(for:name:priority:_:)`` would return or throw, in its own isolation.
  public func value(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async throws -> Value,
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    let call = SynchronousCall()
    Task<Void, Never>.starting(now: true, name: name, priority: priority) {
      let result: Result<Value, any Error>
      do {
        result = .success(try await self.value(for: key, name: name, priority: priority, operation))
      } catch { result = .failure(error) }
      // Whoever called may hold a lock that the completion takes.
      await call.hasReturned()
      await completion(result)
    }
    call.end()
  }
}
