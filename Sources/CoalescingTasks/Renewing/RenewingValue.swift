/// Keeps a value while it is valid, and renews it once for all callers: an access token, a configuration, a session.
///
/// ```swift
/// let token = RenewingValue<Token>(name: "token", renewAhead: .seconds(60)) { old in
///   let grant = try await login.refresh(old)
///   return Renewed(grant.token, validFor: grant.expiresIn)
/// }
///
/// func send(_ request: Request) async throws -> Response {
///   let first = try await token.value()  // without a suspension, while it is valid
///   let response = try await server.send(request, first)
///   guard response.status == 401 else { return response }
///   // A hundred refused requests renew once.
///   return try await server.send(request, token.value(insteadOf: first))
/// }
/// ```
///
/// - **While the value is valid**, each call returns it at once. Within `renewAhead` of its end, the first call also starts a
///   renewal behind it, and does not wait for that.
/// - **Otherwise** callers share one renewal. Each waits for itself, and leaves when it is cancelled.
/// - **A renewal that has been started runs to its end**, even if all its callers leave, and its result is kept: the server may
///   have spent the old token already. Only ``clear()`` and ``shutDown(within:)`` cancel it.
/// - **A failure** is thrown to the callers that wait for that renewal. It is not kept: the next call tries again, unless there
///   is a `pauseAfterFailure`. A value that is still valid is returned as before.
/// - **Order:** no caller gets an older value after a newer one. A value is newer if its renewal was started later.
///
/// **Validity** is counted from the end of the renewal, and measured by the injected clock. If that clock jumps ahead, the
/// value may expire early. If it is set back to a moment before the value came, the value's age is unknown, and the value is
/// renewed. If it is set back by less, the value is valid for that much longer. `ContinuousClock`, the default, does neither.
///
/// **Isolation.** The value is a class and not an actor: it can be called from any isolation, and from synchronous code,
/// without a hop. `renew` runs in a task of its own, in the closure's isolation, with the task-locals of the caller that
/// started it.
///
/// **Reentrancy.** A renewal is given the previous value. If it waits for its own value, directly or through others, it is
/// rejected with ``JobRejection/deadlock(_:)`` instead of hanging; a value that is still valid is returned there too.
///
/// **Lifetime.** A renewal keeps its ``RenewingValue`` alive until the renewal has ended.
public final class RenewingValue<Value: Sendable>: Sendable {
  /// The name given to the value.
  public let name: String?
  @usableFromInline package let state: Lock<RenewingState<Value>>
  package let observers = WaitObservers<RenewingState<Value>>()
  @usableFromInline package let clock: AnyClock
  let renew: @Sendable @isolated(any) (Value?) async throws -> Renewed<Value>
  let reporter: Reporter?
  private let registration = WaitRegistration()

  /// Creates a value that is not there yet: the first call renews it.
  ///
  /// - Parameters:
  ///   - name: The value's name in events and deadlock errors.
  ///   - renewAhead: How long before the end of its validity the value is renewed behind a call. It should be much shorter than
  ///     the validity: a value that is always that near to its end is renewed behind every call. Must not be negative, or this
  ///     initializer traps.
  ///   - joinWindow: How long a renewal can be joined. A renewal older than this is no longer joined, so that a renewal that
  ///     never returns cannot block the value forever: the next call that has to wait starts another, which is given the same
  ///     previous value. If that one succeeds first, the callers of the older one get its value too, and what the older one
  ///     returns is discarded. Use it only for values that can be asked for twice. A token that rotates would be spent twice:
  ///     limit the time of its request instead. `nil`, the default, means no limit. Must be positive, or this initializer
  ///     traps.
  ///   - pauseAfterFailure: For how long after a renewal has failed no other begins. A call that needs one meanwhile throws the
  ///     error of that renewal at once; ``value(insteadOf:)`` does too. ``clear()`` and ``replace(with:)`` end the pause. Must not
  ///     be negative, or this initializer traps. `nil`, the default, means that the next call tries again.
  ///   - clock: Measures the validity of values, the join window, and how long callers wait and renewals run.
  ///   - renew: Obtains a new value. It is given the newest value so far, valid or not; `nil` if there has been none since the
  ///     beginning or since ``clear()``.
  ///   - onEvent: Called for what happens to each renewal and to each caller that waits for one; see ``TaskEvent``. A valid
  ///     value that is returned at once is not reported.
  public init(
    name: String? = nil, renewAhead: Duration = .zero, joinWindow: Duration? = nil, pauseAfterFailure: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    @_inheritActorContext renew: @escaping @Sendable @isolated(any) (_ previous: Value?) async throws -> Renewed<Value>,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    if renewAhead < .zero { fatalError("renewAhead must not be negative, and is \(renewAhead)") }
    if let joinWindow, joinWindow <= .zero { fatalError("joinWindow must be positive, and is \(joinWindow)") }
    if let pauseAfterFailure, pauseAfterFailure < .zero {
      fatalError("pauseAfterFailure must not be negative, and is \(pauseAfterFailure)")
    }
    self.name = name
    self.state = Lock(
      RenewingState(renewAhead: renewAhead, joinWindow: joinWindow, pauseAfterFailure: pauseAfterFailure))
    self.clock = AnyClock(clock)
    self.renew = renew
    reporter = Reporter(clock: self.clock, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }
}

// MARK: - Asking

extension RenewingValue {
  /// Returns the value; renews it first if it is not valid.
  ///
  /// - **Order:** the callers of one renewal are resumed in the order in which they arrived. No caller gets an older value
  ///   after a newer one.
  /// - **Cancellation** of the calling task: a value that is valid is returned all the same. Otherwise, *before* the call,
  ///   nothing is started; *waiting*, the caller leaves at once, and the renewal runs to its end.
  /// - **Isolation:** the caller's. A renewal runs in a task of its own. If a call waits for the renewal that it starts, the
  ///   part before the renewal's first suspension may run on the caller's thread.
  /// - **Reentrancy:** a renewal that waits for its own value is rejected.
  /// - **Complexity:** O(1), without a suspension, while the value is valid; O(1) to start, to join and to leave a renewal.
  ///
  /// A caller whose priority is higher than the renewal's when it arrives raises the renewal.
  ///
  /// - Returns: The newest value, or what the renewal returned.
  /// - Throws: What the renewal threw, to all its callers; `CancellationError` if the caller's task was cancelled;
  ///   ``JobRejection/withdrawn`` after ``clear()``; ``JobRejection/closed`` after ``close()``; ``JobRejection/deadlock(_:)``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value() async throws -> Value {
    if let value = fresh() { return value }
    return try await renewed()
  }

  /// Passes the value, or the error, to a completion handler, for synchronous code.
  ///
  /// This call is a caller like any other, except that it never leaves. Where the system can start a task at once (macOS 26,
  /// iOS 26 …, Linux), it has joined or started the renewal before it returns. The completion never runs inside this call.
  ///
  /// - Parameter completion: Called once, with what ``value()`` would return or throw, in its own isolation.
  public func value(
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    SynchronousCall.pass(to: completion, name: name) { try await self.value() }
  }
}

extension RenewingValue where Value: Equatable {
  /// Returns a newer value than the one that was rejected, for example by a server that answered 401.
  ///
  /// If the newest value is still the rejected one, one renewal is started, or the running one joined, even if the value would
  /// be valid for longer. If there is a newer value, and it is valid, it is returned at once. So if a hundred requests are
  /// refused with the same token, the token is renewed once, whenever they come.
  ///
  /// A rejection is the word of one caller: until the renewal has succeeded, ``value()`` returns the value while it is valid.
  ///
  /// Order, cancellation, isolation, reentrancy and complexity are those of ``value()``.
  ///
  /// - Parameter rejected: The value that is of no use any more. It is compared with `==`, outside every lock.
  /// - Returns: A newer value, or what the renewal returned.
  /// - Throws: What ``value()`` throws.
  public nonisolated(nonsending) func value(insteadOf rejected: Value) async throws -> Value {
    try await renewed(insteadOf: renewal(of: rejected))
  }

  /// Passes a newer value than the one that was rejected, or the error, to a completion handler, for synchronous code.
  ///
  /// Like ``value(completion:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - rejected: The value that is of no use any more.
  ///   - completion: Called once, with what ``value(insteadOf:)`` would return or throw, in its own isolation.
  public func value(
    insteadOf rejected: Value,
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    SynchronousCall.pass(to: completion, name: name) { try await self.value(insteadOf: rejected) }
  }
}

// MARK: - Forgetting and replacing

extension RenewingValue {
  /// Forgets the value and discards what a running renewal returns, as when logging out.
  ///
  /// The callers of a running renewal are rejected with ``JobRejection/withdrawn`` at once, and the renewal is cancelled. If it
  /// returns a value all the same, the value is discarded. A later call starts a new renewal, which is given no previous value.
  /// After this call, no value from before it is returned, except to callers that have been resumed with it already. What a
  /// renewal does besides returning a value is not undone: it may still store a token, for example. O(callers).
  public func clear() { carryOut(state.withLock { $0.clear() }) }

  /// Puts in a value that did not come from a renewal, for example what a sign-in has returned.
  ///
  /// It is as new as if a renewal that was started last had just returned it: callers that wait get it, it is returned while it
  /// is valid, and the next renewal is given it. A renewal that runs is not cancelled, and what it returns is discarded. So after
  /// this call, no older value is returned, except to callers that have been resumed with it already. After ``close()``, this
  /// call does nothing. It is not reported. O(callers).
  ///
  /// - Parameter renewed: The value, and for how long from now on it is valid.
  public func replace(with renewed: Renewed<Value>) {
    let now = clock.now
    carryOut(state.withLock { $0.replace(with: renewed, now: now) })
  }
}

// MARK: - Looking

extension RenewingValue {
  /// How long the value is still valid, and how many renewals run and callers wait, at one moment.
  public var snapshot: RenewingSnapshot {
    let now = clock.now
    return state.withLock { $0.snapshot(at: now) }
  }
}
