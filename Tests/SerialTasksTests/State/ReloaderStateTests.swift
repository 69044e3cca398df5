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
    var explored = 0
    var mismatches = 0
    func explore(_ history: [ReloaderModel.Event], _ model: ReloaderModel) {
      var run = ReloaderRun()
      for event in history { run.apply(event) }
      explored += 1
      if let mismatch = run.mismatch(with: model) {
        mismatches += 1
        if mismatches <= 5 { Issue.record("\(history): \(mismatch)") }
        return
      }
      if history.count == Effort.number(short: 4, full: 5) { return }
      for event in model.possibleEvents {
        var next = model
        next.apply(event)
        explore(history + [event], next)
      }
    }
    explore([], ReloaderModel())
    #expect(explored > Effort.number(short: 1_000, full: 20_000))
  }

  /// The same for histories long enough for a load that waits behind one that waits to land.
  ///
  /// Fails if: a result lands while an older one is being applied, or any of the above.
  @Test func drawnHistoriesAgreeWithTheModel() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<Effort.upTo(5_000) {
      var (history, model) = ([ReloaderModel.Event](), ReloaderModel())
      var run = ReloaderRun()
      for _ in 0..<16 {
        guard let event = model.possibleEvents.randomElement(using: &random) else { break }
        history.append(event)
        model.apply(event)
        run.apply(event)
        if let mismatch = run.mismatch(with: model) {
          Issue.record("\(history): \(mismatch)")
          return
        }
      }
    }
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
