/// Performs an operation once for all callers that request it at the same time.
///
/// The first caller of a key *leads*: its operation starts. Callers that arrive while the operation runs *join* it. Each
/// caller waits for itself, and leaves when it is cancelled, without affecting the others. When the last caller leaves, the
/// operation is cancelled, unless it is a prefetch or the coalescer was created with `runsToEnd`.
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
/// Nothing is cached: when the operation has ended, whether it returned or threw, the next caller starts a new one. There
/// is one explicit exception: ``prefetch(_:expiresAfter:name:priority:_:)`` keeps one result for one later caller.
///
/// **Isolation.** The coalescer is a class and not an actor: it can be called from any isolation, and from synchronous
/// code, without a hop.
///
/// **Keys** are compared under a lock, so `==` must not call the coalescer. A key that is not equal to itself, such as
/// `Double.nan`, is another key in each call: its operation is shared with no other caller.
///
/// **Reentrancy.** An operation may request other keys. A request that would wait for itself, directly or through others,
/// is rejected with ``JobRejection/deadlock(_:)`` instead of hanging. It is not rejected if the operation awaits an
/// unstructured task that makes the request, because that cannot be known.
public final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Flight = CoalescedFlight<Key, Value>

  /// The name given to the coalescer.
  public let name: String?
  @usableFromInline package let state: Lock<CoalescerState<Key, Value>>
  @usableFromInline package let observers = WaitObservers<CoalescerState<Key, Value>>()
  @usableFromInline package let clock: AnyClock
  @usableFromInline let reporter: Reporter?
  private let registration = WaitRegistration()

  /// Creates a coalescer.
  ///
  /// - Parameters:
  ///   - name: The coalescer's name in events and deadlock errors.
  ///   - joinWindow: How long a flight can be joined. A flight older than this is no longer joined, so that a stuck operation
  ///     cannot hold its key forever; the callers that have joined it still get its result. `nil`, the default, means no
  ///     limit. Must be positive, or this initializer traps.
  ///   - runsToEnd: Whether an operation runs to its end even if all its callers leave, so that it can be joined until then,
  ///     for example because the server has spent a token by the time it answers. ``cancel(_:)`` and ``cancelAll()`` cancel it
  ///     all the same. `false`, the default, means that the operation is cancelled when the last caller has left.
  ///   - clock: Measures the join window, the expiry of prefetched results, and how long callers wait and operations run.
  ///   - onEvent: Called for what happens to each flight and each caller; see ``TaskEvent``.
  public init(
    name: String? = nil, joinWindow: Duration? = nil, runsToEnd: Bool = false,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    if let joinWindow, joinWindow <= .zero { fatalError("joinWindow must be positive, and is \(joinWindow)") }
    self.name = name
    self.state = Lock(CoalescerState(joinWindow: joinWindow, runsToEnd: runsToEnd))
    self.clock = AnyClock(clock)
    reporter = Reporter(clock: self.clock, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }
}

// MARK: - Asking

extension TaskCoalescer {
  /// Returns what the operation returns: this call's own, or that of a flight that is already running.
  ///
  /// - **Order:** the callers of one flight are resumed in the order in which they arrived.
  /// - **Cancellation** of the calling task: *before* the call, nothing is started; *waiting*, the caller leaves at once,
  ///   even if it leads, and the operation continues for the other callers. When the last caller has left, the *running*
  ///   operation is cancelled and the key is free, unless it is a prefetch or the coalescer was created with `runsToEnd`.
  /// - **Isolation:** the caller's. The operation runs in a task of its own, with the leader's task-locals, in the
  ///   closure's isolation. The part before its first suspension may run on the leader's thread.
  /// - **Reentrancy:** an operation that requests its own key is rejected, unless it could not be joined any more
  ///   (``invalidate(_:)``, `joinWindow`); it may request other keys.
  /// - **Complexity:** O(1) to lead, to join, to follow and to leave; O(callers) to deliver the result, and to replace what runs.
  ///
  /// A caller whose priority is higher than the operation's when it arrives raises the operation, and the one that this follows.
  ///
  /// With the policy ``ReloadPolicy/rerun``, a call that finds an operation it could join waits for another, which begins when
  /// that one has ended, or cannot be joined any more. All such calls share it: it is the operation of the first of them. With
  /// ``ReloadPolicy/supersede``, what runs is cancelled, also from inside it, and its callers get what the new operation
  /// returns. Neither returns a prefetched result.
  ///
  /// - Parameters:
  ///   - key: Identifies the operation.
  ///   - policy: What the call does while an operation of the key runs that it could join.
  ///   - name: The flight's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this call leads; `nil` means the caller's.
  ///   - operation: Performs the work, unless there is a flight to join or a prefetched result to return.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, to all its callers; `CancellationError` if the caller's task was cancelled;
  ///   ``JobRejection/withdrawn`` after ``cancel(_:)``, ``cancelAll()`` or a shutdown whose limit has passed;
  ///   ``JobRejection/closed`` after ``close()``; ``JobRejection/deadlock(_:)``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(
    for key: Key, policy: ReloadPolicy = .join, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await answer(for: key, policy: policy, name: name, priority: priority, operation).value
  }

  /// Returns what the operation returns, and how the caller obtained it.
  ///
  /// Like ``value(for:policy:name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: Identifies the operation.
  ///   - policy: What the call does while an operation of the key runs.
  ///   - name: The flight's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this call leads; `nil` means the caller's.
  ///   - operation: Performs the work, unless there is a flight to join or a prefetched result to return.
  /// - Returns: What the operation returned, and whether this call led, joined or was served a prefetched result.
  /// - Throws: What ``value(for:policy:name:priority:_:)`` throws.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func answer(
    for key: Key, policy: ReloadPolicy = .join, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> CoalescedAnswer<Value> {
    let caller = CoalescedCaller<Key, Value>(name: name, priority: Task.currentPriority.rawValue)
    switch try depart(key, policy, caller, priority: priority, operation) {
    case .answered(let answer): return answer
    case .waits(let flight, let source):
      await wait(for: flight, caller)
      return try answer(of: flight, caller, source)
    }
  }

  /// Passes what the operation returns or throws to a completion handler, for synchronous code.
  ///
  /// This call is a caller like any other, except that it never leaves. Where the system can start a task at once (macOS 26,
  /// iOS 26 …, Linux), its place on the flight is taken before it returns, and the operation may run inside this call up to
  /// its first suspension. The completion never runs inside this call.
  ///
  /// - Parameters:
  ///   - key: Identifies the operation.
  ///   - policy: What the call does while an operation of the key runs.
  ///   - name: The flight's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this call leads; `nil` means the caller's.
  ///   - operation: Performs the work, unless there is a flight to join or a prefetched result to return.
  ///   - completion: Called once, with what ``value(for:policy:name:priority:_:)`` would return or throw, in its own isolation.
  public func value(
    for key: Key, policy: ReloadPolicy = .join, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async throws -> Value,
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    SynchronousCall.pass(to: completion, name: name, priority: priority) {
      try await self.value(for: key, policy: policy, name: name, priority: priority, operation)
    }
  }
}
