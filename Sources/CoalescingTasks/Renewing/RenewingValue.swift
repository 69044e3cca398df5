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
/// - **While the value is valid**, each call returns it at once. In the last `renewAhead` of its validity, the first
///   call also starts a renewal, and does not wait for it.
/// - **Otherwise** callers share one renewal. A cancelled caller leaves at once.
/// - **A renewal that has begun runs to its end**, even if all callers leave, and its result is kept: the server may already have
///   spent the old token. Only ``SharingPolicy/supersede``, ``clear()``, ``cancelAll()`` and ``shutDown(within:)`` cancel it.
/// - **An error** is thrown to the callers of that renewal and is not kept: the next call tries again, unless there is
///   a `pauseAfterFailure`. A value that is still valid is returned as before.
/// - **Order:** no caller gets an older value after a newer one. A value is newer if its renewal started later.
///
/// **Validity** is measured from the end of the renewal, on the injected clock. If that clock is set back to before the
/// value arrived, the value is renewed. If it is set back by less, the value is valid for that much longer; if it jumps
/// ahead, the value expires early. `ContinuousClock`, the default, does neither.
///
/// **Isolation.** The value is a class, not an actor: any code can call it without a hop. `renew` runs in a new task,
/// in the closure's isolation, with the task-locals of the caller that started it.
///
/// **Reentrancy.** A renewal gets the previous value as its argument. If it waits for its own value, directly or
/// through others, it gets a value that is still valid; if there is none, the call throws `JobRejection.deadlock(_:)`.
///
/// **Lifetime.** A renewal keeps its ``RenewingValue`` alive until the renewal has ended.
public final class RenewingValue<Value: Sendable>: Sendable {
  /// The name given to the value.
  public let name: String?
  @usableFromInline package let state: Lock<RenewingState<Value>>
  package let observers = WaitObservers<RenewingState<Value>>()
  @usableFromInline package let clock: AnyClock
  let operation: @Sendable @isolated(any) (Value?) async throws -> Renewed<Value>
  @usableFromInline package let reporter: Reporter?
  private let registration = WaitRegistration()

  /// Creates a value, which the first call obtains.
  ///
  /// - Parameters:
  ///   - name: The value's name in events and deadlock errors.
  ///   - renewAhead: How long before the end of its validity the value is renewed in the background; much shorter than
  ///     the validity, or every call starts a renewal. Traps if negative.
  ///   - joinWindow: How long a renewal can be joined. A renewal that never returns then cannot block the value: the
  ///     next call that has to wait starts another, with the same previous value. If that succeeds first, callers of
  ///     the older one get its value too, and the older result is discarded. A token that rotates would be spent twice:
  ///     limit the time of its request instead. Traps unless positive. `nil` means no limit.
  ///   - pauseAfterFailure: For how long after a failure no renewal begins. Meanwhile, a call that needs one, including
  ///     ``value(insteadOf:)`` and policies other than ``SharingPolicy/join``, throws the error of the failed renewal
  ///     at once. ``clear()`` and ``replace(with:)`` end the pause. Traps if negative. `nil` means no pause.
  ///   - clock: Measures the validity, the join window, and the times of events.
  ///   - renew: Obtains a new value. Its argument is the newest value, valid or not; `nil` before the first one and
  ///     after ``clear()``.
  ///   - onEvent: See `TaskEvent`. A valid value that is returned at once is not reported.
  @_semantics("optimize.sil.specialize.generic.never")
  public init(
    name: String? = nil, renewAhead: Duration = .zero, joinWindow: Duration? = nil, pauseAfterFailure: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    @_inheritActorContext renew: @escaping @Sendable @isolated(any) (_ previous: Value?) async throws -> Renewed<Value>,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    Duration.check("renewAhead", renewAhead, mayBeZero: true)
    Duration.check("joinWindow", joinWindow)
    Duration.check("pauseAfterFailure", pauseAfterFailure, mayBeZero: true)
    self.name = name
    self.state = Lock(
      RenewingState(renewAhead: renewAhead, joinWindow: joinWindow, pauseAfterFailure: pauseAfterFailure))
    self.clock = AnyClock(clock)
    operation = renew
    reporter = Reporter(clock: self.clock, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }
}

// MARK: - Requesting

extension RenewingValue {
  /// Returns the value; renews it first if it is not valid, or if the policy asks for a newer one.
  ///
  /// - **Order:** the callers of one renewal are resumed in order of arrival.
  /// - **Cancellation** of the calling task: a valid value is still returned, with ``SharingPolicy/join``. Otherwise,
  ///   *before* the call, nothing starts and nothing is superseded; *waiting*, the caller leaves at once, and the
  ///   renewal runs to its end. A renewal that still waits for another never begins if all its callers have left.
  /// - **Isolation:** the caller's. If a call waits for the renewal that it starts, the part before the renewal's first
  ///   suspension may run on the caller's thread.
  /// - **Reentrancy:** a renewal that waits for its own value is rejected, whatever the policy.
  /// - **Priority:** an arriving caller raises the renewal that it joins, and the one that this renewal follows.
  /// - **Complexity:** O(1), without a suspension, while the value is valid; O(1) to start, to join and to leave a
  ///   renewal; O(callers) to supersede one.
  ///
  /// With ``SharingPolicy/rerun``, the result is not older than the call, for example after a purchase that changes the claims of
  /// a token: it is that of a renewal that begins after the call. While an earlier renewal runs, all these calls share the next
  /// one, which begins when the earlier one has ended or can no longer be joined. With ``SharingPolicy/supersede``, running
  /// renewals are cancelled, and their callers get the result of the new one: a token that rotates may then be spent twice. With
  /// either policy, the kept value stays: other callers get it while it is valid.
  ///
  /// - Parameter policy: Whether the kept value and a running renewal are new enough.
  /// - Returns: The newest value, or the result of the renewal.
  /// - Throws: The error of the renewal, to all its callers; `CancellationError`; `JobRejection.withdrawn` after
  ///   ``clear()``; `JobRejection.closed` after ``close()``; `JobRejection.deadlock(_:)`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(policy: SharingPolicy = .join) async throws -> Value {
    if policy == .join, let value = fresh() { return value }
    return try await renewed(policy)
  }

  /// Passes the value or the error to a completion handler, for synchronous code.
  ///
  /// Like ``value(policy:)``, but the caller never leaves. Where the system can start a task at once (macOS 26, iOS 26 …,
  /// Linux), the call has joined or started the renewal before it returns. The handler is called once, in its own isolation,
  /// and never inside this call. ``drain()`` and ``shutDown(within:)`` wait for it.
  public func value(
    policy: SharingPolicy = .join,
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    pass(to: completion, name: name) { try await self.value(policy: policy) }
  }
}

extension RenewingValue where Value: Equatable {
  /// Returns a newer value than one that was rejected, for example by a server that answered 401.
  ///
  /// If the newest value is still the rejected one, the call starts or joins a renewal, even if the value would be
  /// valid for longer. If there is a newer, valid value, it is returned at once.
  ///
  /// Until the renewal has succeeded, ``value(policy:)`` still returns the rejected value while it is valid.
  ///
  /// Otherwise like ``value(policy:)``.
  ///
  /// - Parameter rejected: It is compared with `==`, outside every lock.
  /// - Returns: A newer value.
  /// - Throws: The same errors as ``value(policy:)``.
  public nonisolated(nonsending) func value(insteadOf rejected: Value) async throws -> Value {
    try await renewed(insteadOf: renewal(of: rejected))
  }

  /// Passes a newer value than one that was rejected, or the error, to a completion handler.
  ///
  /// Combines ``value(insteadOf:)`` and ``value(policy:completion:)``.
  public func value(
    insteadOf rejected: Value,
    @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void
  ) {
    pass(to: completion, name: name) { try await self.value(insteadOf: rejected) }
  }
}

// MARK: - Clearing and replacing

extension RenewingValue {
  /// Drops the value and cancels the running renewal, for example at a log-out.
  ///
  /// The callers of the renewal are rejected with `JobRejection.withdrawn` at once, and its result is discarded. To get a newer
  /// value without that, use ``SharingPolicy/rerun``. A later call starts a new renewal, without a previous value. After this
  /// call, no earlier value is returned, except to callers that were already resumed with it. Side effects of a renewal are not
  /// undone: it may still store a token, unless it checks `Task.isCancelled` under the store's lock. O(callers).
  public func clear() { carryOut(state.withLock { $0.withdrawAll() }) }

  /// Sets a value that did not come from a renewal, for example from a log-in.
  ///
  /// It counts as the newest value: waiting callers get it, whatever their policy, and so does the next renewal as its previous
  /// value. A running renewal is not cancelled, and its result is discarded. After this call, no older value is returned, except
  /// to callers that were already resumed with it. After ``close()``, this call does nothing. Not reported. O(callers).
  ///
  /// - Parameter renewed: The value, and how long it is valid from now.
  public func replace(with renewed: Renewed<Value>) {
    let now = clock.now
    carryOut(state.withLock { $0.replace(with: renewed, now: now) })
  }
}

// MARK: - Inspecting

extension RenewingValue {
  /// The remaining validity, and the numbers of running renewals and waiting callers.
  public var snapshot: RenewingSnapshot {
    let now = clock.now
    return state.withLock { $0.snapshot(at: now) }
  }
}
