/// Owns the loading of one screen: it decides what each request does, and never applies an old result after a newer one.
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
/// The closures have the isolation of the context that creates them. The initial value of a `lazy var` is an exception:
/// no isolation is inferred there, so `apply` must be marked `@MainActor` explicitly.
///
/// What a request does while a load is running is up to the ``ReloadPolicy`` of its reason; a table there shows what each
/// caller gets.
///
/// **Landing.** When a load returns, its result is given to `apply`: it *lands*. Each result lands once at most, one result
/// at a time, and never an older one after a newer one. Whether a result may still land is decided in the isolation of
/// `apply`, right before `apply` runs there. So for code in that isolation (usually the main actor), no result of a load is
/// applied once ``request(_:)`` has superseded the load or ``cancel()`` has ended it. For code in any other isolation, an
/// `apply` that has begun completes: a result that was cleared to land before a newer request arrived may land before the
/// result of that request, never after it. A load that throws applies nothing: what is shown stays.
///
/// **Callers** are resumed after `apply` has returned. The callers of one load are resumed in the order in which they
/// arrived.
///
/// **Isolation.** The reloader is a class and not an actor: it can be called from any isolation, and from synchronous code,
/// without a hop. Neither the load nor `apply` ever runs inside a call of the reloader. A load that is superseded or
/// cancelled before its task has started to run never begins. A call does run `onEvent` and, when it ends a load, the
/// cancellation handlers of that load's operation: hold no lock that those take.
///
/// **Lifetime.** A requested load keeps the reloader alive until that load is over. Releasing a reloader ends nothing;
/// ``cancel()`` does.
public final class Reloader<Reason: ReloadReason, Value: Sendable>: Sendable {
  typealias Load = ReloadFlight<Reason, Value>
  typealias Caller = ReloadCaller<Reason, Value>

  /// The name given to the reloader.
  public let name: String?
  package let state = Lock(ReloaderState<Reason, Value>())
  package let observers = WaitObservers<ReloaderState<Reason, Value>>()
  let load: @Sendable @isolated(any) (Reason) async throws -> Value
  let apply: @Sendable @isolated(any) (Value) -> Void
  let reporter: Reporter?
  @usableFromInline package let clock: AnyClock
  private let registration = WaitRegistration()

  /// Creates a reloader; nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - name: The reloader's name in events and deadlock errors.
  ///   - clock: Measures how long callers and loads wait, and how long loads run.
  ///   - load: Performs the load, in a task of its own and in the closure's isolation.
  ///   - apply: Shows what was loaded, in the closure's isolation. It may request another load, and cannot wait for one.
  ///   - onEvent: Called for what happens to each load and each caller; see ``TaskEvent``.
  public init(
    name: String? = nil, clock: some Clock<Duration> = ContinuousClock(),
    @_inheritActorContext load: @escaping @Sendable @isolated(any) (Reason) async throws -> Value,
    @_inheritActorContext apply: @escaping @Sendable @isolated(any) (Value) -> Void,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.name = name
    self.load = load
    self.apply = apply
    self.clock = AnyClock(clock)
    reporter = Reporter(clock: self.clock, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }
}

// MARK: - Asking

extension Reloader {
  /// Requests a load without waiting for it.
  ///
  /// The screen itself is the caller, and never leaves. What the request does is decided before this call returns; the load
  /// runs in a task of its own. Its error is reported to the callers of ``reload(_:)`` that wait for it, and to `onEvent`.
  /// After ``close()``, nothing is loaded. O(1), apart from carrying over the callers of superseded loads.
  ///
  /// - Parameter reason: Why the load is requested; its policy decides what happens to a running load.
  public func request(_ reason: Reason) { ask(makeRequest(for: reason), nil) }

  /// Requests a load and waits for its result.
  ///
  /// - **Order:** the callers of one load are resumed in the order in which they arrived, after its result was applied.
  /// - **Cancellation** of the calling task: *before* the call, nothing is requested; *waiting*, the caller leaves at once
  ///   with a `CancellationError`. The load continues while another caller wants it, or the screen: the screen has been a
  ///   caller, which never leaves, since the first ``request(_:)`` that began the load, joined it, or began a load that it
  ///   replaced. A load that no caller wants is cancelled, and its result is not applied; a load that waits to follow it
  ///   begins at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** a load that waits for its own reloader is rejected, whatever the policy; it may call
  ///   ``request(_:)``.
  /// - **Complexity:** O(1), apart from carrying over the callers of superseded loads.
  ///
  /// A caller whose priority is higher than that of its load raises the load, and the load that this one waits to follow.
  ///
  /// - Parameter reason: Why the load is requested; its policy decides what happens to a running load.
  /// - Returns: What was loaded: by the load that was begun or joined, or by the last of the loads that replaced it.
  /// - Throws: What that load threw; `CancellationError` if the caller's task was cancelled; ``JobRejection/withdrawn`` after
  ///   ``cancel()``; ``JobRejection/closed`` after ``close()``; ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func reload(_ reason: Reason) async throws -> Value {
    let request = makeRequest(for: reason)
    if let why = refusal(of: request) {
      report(.rejected(why), request.name, nil)
      throw JobRejection.untyped(why)
    }
    let caller = Caller(name: request.name, priority: request.priority)
    guard let load = ask(request, caller) else { throw JobRejection.untyped(.closed) }
    await wait(for: load, caller)
    guard let last = caller.carrier else { preconditionFailure("a caller that was answered has had a load") }
    if let why = takeRejection(of: caller, from: last) { throw JobRejection.untyped(why) }
    return try last.kept.result!.get()
  }

  /// Ends what loads and what waits to load: nothing requested before this call lands after it.
  ///
  /// - The running load: its callers are rejected with ``JobRejection/withdrawn`` at once, its operation is cancelled, and if
  ///   it returns a result all the same, the result is discarded.
  /// - A load that waits to follow another: its callers are rejected in the same way, and it never begins.
  /// - A result that is just being applied has landed: its callers get it. In the isolation of `apply`, only `apply` itself
  ///   can call this method at such a moment.
  ///
  /// A later request loads as if nothing had happened. O(callers).
  public func cancel() { carryOut(state.withLock { $0.cancel() }) }

  /// What is loading and how many callers wait, at one moment.
  public var snapshot: ReloaderSnapshot<Reason> { state.withLock { $0.snapshot() } }
}
