import CoalescingTasks
import Testing

/// Explores every sequence of events up to a length, and holds the state against a model that is too simple to be wrong.
///
/// Three callers, the screen, three policies, eight events; every load may be asked again and again, as its task would. Longer
/// histories are drawn.
@Suite(.watched) struct ReloaderStateTests {
  /// Fails if: a policy does anything else than it says, a load begins twice or with an old reason, lands though it was
  /// ended, or before an older one, a caller is answered by another load than its own, before one that came earlier, twice or
  /// never, a load goes on that no caller wants or ends though the screen wants it, or what waits is not released.
  @Test func everyShortHistoryAgreesWithTheModel() {
    let explored = explore(upTo: Effort.number(short: 4, full: 5), ReloaderModel()) { ReloaderRun() }
    #expect(explored > Effort.number(short: 1_000, full: 20_000))
  }

  /// The same for histories long enough for a load that waits behind one that waits to land.
  ///
  /// Fails if: a result lands while an older one is being applied, or any of the above.
  @Test func drawnHistoriesAgreeWithTheModel() {
    _ = draw(Effort.upTo(5_000), of: 16, ReloaderModel()) { ReloaderRun() }
  }

  /// Fails if: a load that has replaced others does not take over how urgent they were.
  @Test func urgencyIsCarriedOver() {
    typealias Run = ReloaderRun
    var state = ReloaderState<Run.Number, Int>()
    final class Owner {}
    let owner = Owner()
    func request(_ policy: ReloadPolicy, _ priority: UInt8) -> ReloadRequest<Run.Number> {
      ReloadRequest(
        owner: ObjectIdentifier(owner), reloader: "screen", reason: Run.Number(request: 1, policy: policy),
        policy: policy, priority: priority)
    }
    _ = state.ask(request(.join, 30), nil)
    guard case .begins(let load, _) = state.ask(request(.supersede, 10), nil) else {
      Issue.record("nothing was begun")
      return
    }
    #expect(load.kept.isForScreen)
    #expect(load.attach(Task {}) == .escalate(to: 30))
  }
}
