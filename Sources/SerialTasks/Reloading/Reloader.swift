/// The one owner of a screen's loading: many triggers ask, it decides, and an old result never lands on a newer one.
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
///   func appear() { loader.request(.firstDisplay) }                                    // from a synchronous callback
///   func refresh() async throws -> String { try await loader.reload(.pullToRefresh) }  // waits for the result
///   func leave() { loader.cancel() }
/// }
/// ```
///
/// Closures take on the isolation that they are made in, but for the initial value of a `lazy var`, where none is inferred: there
/// `apply` must say `@MainActor` itself.
///
/// What a request does when a load runs already is its reason's ``ReloadPolicy``, where a table says what becomes of whom.
///
/// **Landing.** The result of a load that returns is given to `apply`: once at most, one result at a time, and never an older one
/// after a newer one. It is decided in `apply`'s isolation, right before `apply` runs there, whether it still may. So for whoever
/// asks in that isolation (on the main actor, mostly), nothing that was loading is applied once ``request(_:)`` has superseded it,
/// or ``cancel()`` ended it. For whoever asks elsewhere, an `apply` that has begun ends: a result decided to land before a newer
/// request came may land before that request's, never after it. A load that throws applies nothing: what is shown stays.
///
/// **Callers** are resumed after `apply` has returned, those of one load in the order in which they came.
///
/// **Isolation.** It is a class and not an actor: it is entered from any isolation, synchronous code included, without a hop.
/// Neither the load nor `apply` ever runs inside a call of it; a load that is superseded or cancelled before its task comes to
/// run never begins. What a call does run is `onEvent` and, when it ends a load, the cancellation handlers of that load's
/// operation: hold no lock that those take.
///
/// **Lifetime.** What was asked for keeps the reloader until it has landed. Letting go of a reloader ends nothing; ``cancel()``
/// does.
public final class Reloader<Reason: ReloadReason, Value: Sendable>: Sendable {
  typealias Load = ReloadFlight<Reason, Value>
  typealias Caller = ReloadCaller<Reason, Value>

  /// The name given to the reloader.
  public let name: String?
  let state = Lock(ReloaderState<Reason, Value>())
  let load: @Sendable @isolated(any) (Reason) async throws -> Value
  let apply: @Sendable @isolated(any) (Value) -> Void
  let onEvent: (@Sendable (TaskEvent) -> Void)?

  /// Makes a reloader; nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - name: What events and deadlocks call it.
  ///   - load: Does the work, in a task of its own and in the closure's isolation.
  ///   - apply: Shows what was loaded, in the closure's isolation. It may ask for another load, and cannot wait for one.
  ///   - onEvent: Called for what happens to each load and each caller; see ``TaskEvent``.
  public init(
    name: String? = nil,
    @_inheritActorContext load: @escaping @Sendable @isolated(any) (Reason) async throws -> Value,
    @_inheritActorContext apply: @escaping @Sendable @isolated(any) (Value) -> Void,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.name = name
    self.load = load
    self.apply = apply
    self.onEvent = onEvent
  }
}

// MARK: - Asking

extension Reloader {
  /// Asks for a load and does not wait: the screen itself is the caller, and does not leave.
  ///
  /// The decision is made before this returns; the load runs in a task of its own. Its error reaches those who wait with
  /// ``reload(_:)``, and `onEvent`. O(1), but for carrying over the callers of what is superseded.
  ///
  /// - Parameter reason: Why, and by its policy, what becomes of a load that runs.
  public func request(_ reason: Reason) { _ = ask(request(for: reason), nil) }

  /// Asks for a load and waits for its result.
  ///
  /// - **Order:** those who wait for one load are resumed in the order in which they came, after its result was applied.
  /// - **Cancellation** of the calling task: *before* the call, nothing is asked for; *waiting*, it leaves at once with a
  ///   `CancellationError`. The load goes on while anybody else wants it, or the screen, which has a caller that never leaves
  ///   since the first ``request(_:)`` that began the load, joined it, or began one that it replaced. A load that nobody
  ///   wants is cancelled and does not land; one that waits to follow it begins at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** a load that waits for its own reloader is rejected, whatever the policy; it may ``request(_:)``.
  /// - **Complexity:** O(1), but for carrying over the callers of what is superseded.
  ///
  /// A caller that is more urgent than its load raises it, and the one that this waits to follow.
  ///
  /// - Parameter reason: Why, and by its policy, what becomes of a load that runs.
  /// - Returns: What was loaded: by the load that was begun or joined, or by the last of those that replaced it.
  /// - Throws: What that load threw; `CancellationError` if the caller's task was cancelled; ``JobRejection/withdrawn`` after
  ///   ``cancel()``; ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func reload(_ reason: Reason) async throws -> Value {
    let request = request(for: reason)
    if let why = refusal(of: request) {
      report(.rejected(why), request.name, nil)
      throw JobRejection.untyped(why)
    }
    let caller = Caller(name: request.name, priority: request.priority)
    let load = ask(request, caller)
    if onEvent != nil { watch(load, caller) }
    await wait(for: load, caller)
    let why = takeRejection(of: caller)
    guard let last = caller.load else { preconditionFailure("a caller that was answered has had a load") }
    if let why {
      // A caller reports that it left; a withdrawal is reported by its cause.
      if why.isOwn { report(.left(why), caller.name, last.place) }
      throw JobRejection.untyped(why)
    }
    return try last.result!.get()
  }

  /// Ends what loads, and what waits to: nothing that was asked for before it lands after it.
  ///
  /// - A load that runs: its callers are rejected ``JobRejection/withdrawn`` at once, its operation is cancelled, and what it
  ///   returns all the same goes nowhere.
  /// - A load that waits to follow another: the same, and it never begins.
  /// - A result that is just being applied has landed: its callers get it. In `apply`'s own isolation only `apply` itself can
  ///   find such a moment.
  ///
  /// What is asked for later loads as if nothing had been. O(callers).
  ///
  /// - Returns: Whether there was anything to end.
  @discardableResult
  public func cancel() -> Bool {
    let aftermath = state.withLock { $0.cancel() }
    carryOut(aftermath)
    return aftermath.ended > 0
  }

  /// What loads and who waits, at one moment.
  public var snapshot: ReloaderSnapshot<Reason> { state.withLock { $0.snapshot() } }
}
