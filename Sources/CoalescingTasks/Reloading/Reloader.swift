/// Loads one screen: decides what each request does, and never applies an old result after a newer one.
///
/// ```swift
/// @MainActor final class Screen {
///   private(set) var title = ""
///   private lazy var loader = Reloader<Reason, String>(name: "screen") { reason in
///     try await api.title()
///   } apply: { @MainActor [weak self] title in
///     self?.title = title
///   }
///
///   func appear() { loader.request(.firstDisplay) }  // from synchronous code
///   func refresh() async throws -> String {  // waits for the result
///     try await loader.reload(.pullToRefresh)
///   }
///   func leave() { loader.cancel() }
/// }
/// ```
///
/// The closures are isolated to the context that creates them. In the initial value of a `lazy var`, no isolation is
/// inferred: mark `apply` with `@MainActor`.
///
/// What a request does while a load is running is decided by the ``SharingPolicy`` of its reason.
///
/// **Applying.** The result of a load is passed to `apply`: at most once, one result at a time, never an older one after a newer
/// one. Whether a result is still wanted is decided in the isolation of `apply`, directly before `apply` runs:
///
/// - Code in that isolation, usually the main actor, sees no result applied after it has superseded or cancelled its load.
/// - Other code may: an `apply` that has begun completes. But no result is applied after the result of a newer request.
///
/// If a load throws, nothing is applied, and the screen keeps what it shows.
///
/// **Callers** of one load are resumed after `apply` has returned, in order of arrival.
///
/// **Isolation.** The reloader is a class, not an actor: any code can call it without a hop. No call runs a load or
/// `apply`, but a call runs `onEvent` and, if it ends a load, the load's cancellation handlers: hold no lock that these
/// take. A load that is superseded or cancelled before its task has started never begins.
///
/// **Lifetime.** A load keeps the reloader alive until the load has ended: releasing the reloader cancels nothing.
public final class Reloader<Reason: ReloadReason, Value: Sendable>: Sendable {
  typealias Load = ReloadFlight<Reason, Value>

  /// The name given to the reloader.
  public let name: String?
  package let state = Lock(ReloaderState<Reason, Value>())
  package let observers = WaitObservers<ReloaderState<Reason, Value>>()
  let operation: @Sendable @isolated(any) (Reason) async throws -> Value
  let apply: @Sendable @isolated(any) (Value) -> Void
  @usableFromInline package let reporter: Reporter?
  @usableFromInline package let clock: AnyClock
  private let registration = WaitRegistration()

  /// Creates a reloader.
  ///
  /// Nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - name: The reloader's name in events and deadlock errors.
  ///   - clock: Measures the times of events.
  ///   - load: Loads, in a new task and in the closure's isolation.
  ///   - apply: Shows the result, in the closure's isolation. It may request another load, but cannot wait for one.
  ///   - onEvent: See `TaskEvent`.
  @_semantics("optimize.sil.specialize.generic.never")
  public init(
    name: String? = nil, clock: some Clock<Duration> = ContinuousClock(),
    @_inheritActorContext load: @escaping @Sendable @isolated(any) (Reason) async throws -> Value,
    @_inheritActorContext apply: @escaping @Sendable @isolated(any) (Value) -> Void,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.name = name
    operation = load
    self.apply = apply
    self.clock = AnyClock(clock)
    reporter = Reporter(clock: self.clock, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }
}

// MARK: - Requesting

extension Reloader {
  /// Requests a load and returns.
  ///
  /// The screen counts as a caller that never leaves. What the request does is decided before this call returns; the load
  /// runs in a new task. Its error goes to callers of ``reload(_:)`` that wait for it, and to `onEvent`. After ``close()``,
  /// this call does nothing. O(1), plus O(callers) if it supersedes a load.
  ///
  /// - Parameter reason: Its policy decides what happens to a running load.
  public func request(_ reason: Reason) { _ = ask(makeRequest(for: reason), nil) }

  /// Requests a load and waits for its result.
  ///
  /// - **Order:** the callers of one load are resumed in order of arrival, after its result was applied.
  /// - **Cancellation** of the calling task: *before* the call, nothing is requested; *waiting*, the caller leaves at
  ///   once with a `CancellationError`. The load continues while another caller or the screen wants it: the screen does
  ///   if ``request(_:)`` has begun the load, joined it, or begun a load that it replaced. A load that no caller wants
  ///   is cancelled, and its result is not applied; a load that waits to follow it begins at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** a load that calls this on its own reloader is rejected, whatever the policy. It may call ``request(_:)``.
  /// - **Priority:** a caller raises its load, and the load that this one follows.
  /// - **Complexity:** O(1), plus O(callers) if it supersedes a load.
  ///
  /// - Parameter reason: Its policy decides what happens to a running load.
  /// - Returns: The result of the load that was begun or joined, or of the last load that replaced it.
  /// - Throws: The error of that load; `CancellationError`; `JobRejection.withdrawn` after ``cancel()``;
  ///   `JobRejection.closed` after ``close()``; `JobRejection.deadlock(_:)`.
  public nonisolated(nonsending) func reload(_ reason: Reason) async throws -> Value {
    let request = makeRequest(for: reason)
    if let why = refusal(request.policy, asking: request.owner.stake, job: request.name) {
      report(.rejected(why), request.name, nil)
      throw JobRejection.untyped(why)
    }
    let caller = FlightCaller<Load>(name: request.name, priority: request.priority)
    if let why = await wait(caller, boarding: { ask(request, caller) }) { throw JobRejection.untyped(why) }
    return try caller.flight!.answer!.get()
  }

  /// Cancels the running load and the load that waits to follow it, and rejects their callers with `JobRejection.withdrawn`.
  ///
  /// Their results are never applied. A result that is already being applied is not affected, and its callers get it.
  /// Later requests load as usual. O(callers).
  public func cancel() { carryOut(state.withLock { $0.loads.withdrawAll() }) }

  /// The running load, the next load, and the number of waiting callers.
  public var snapshot: ReloaderSnapshot<Reason> { state.withLock { $0.snapshot() } }
}
