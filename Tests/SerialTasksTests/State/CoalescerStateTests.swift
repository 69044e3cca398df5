import SerialTasks
import Testing

/// Explores every sequence of events up to a length, and holds the state against a model that is too simple to be wrong.
///
/// Three callers, two keys, six events; a step of the clock takes whatever there is past its expiry and past the join window.
struct CoalescerStateTests {
  /// Fails if: an old flight clears a newer entry, a caller joins what was invalidated, is too old, abandoned or landed, a
  /// waiter is decided twice or never, the last to leave does not cancel, a result is stored that was invalidated, consumed or
  /// failed, is served twice or past its expiry, or a withdrawn caller is answered.
  @Test(arguments: [nil, 1] as [Int?])
  func everyShortHistoryAgreesWithTheModel(joinWindow: Int?) {
    var explored = 0
    var mismatches = 0
    func explore(_ history: [CoalescerModel.Event], _ model: CoalescerModel) {
      var run = CoalescerRun(joinWindow: joinWindow)
      for event in history { run.apply(event) }
      explored += 1
      if let mismatch = run.mismatch(with: model) {
        mismatches += 1
        if mismatches <= 5 { Issue.record("\(history): \(mismatch)") }
        return
      }
      if history.count == 6 { return }
      for event in model.possibleEvents {
        var next = model
        next.apply(event)
        explore(history + [event], next)
      }
    }
    explore([], CoalescerModel(joinWindow: joinWindow))
    #expect(explored > 500_000)
  }

  /// Whatever happened, what is stored is bounded by what is alive, also if nobody ever asks again.
  ///
  /// Fails if: a store never clears the shelf, or clears it of what is still good.
  @Test func expiredResultsDoNotPileUp() {
    var shelf = PrefetchShelf<Int, Int>()
    var (most, gone) = (0, 0)
    for key in 0..<100_000 {
      gone += shelf.store(key, for: key, now: .seconds(key), expires: .seconds(key + 100)).count
      most = max(most, shelf.count)
    }
    #expect(most <= 300)
    #expect(gone + shelf.count == 100_000)
    #expect(shelf.alive(now: .seconds(99_999)) == 100)
    #expect(shelf.has(99_900, now: .seconds(99_999)))
  }
}
