import SerialTasks
import Testing

/// Explores the histories of a line of reads and writes, and holds the state against a model that is too simple to be wrong.
///
/// Fails if: a read begins beside a write, before one that it stands behind, or beyond the limit; neighbouring reads do not
/// share the turn, also when the write between them has left; a turn is lost on leave, withdraw, pause or a rejection at
/// `begin`; a capacity is off by one, or a waiter that was granted the turn is not resumed.
@Suite(.watched) struct ReadWriteStateTests {
  @Test(arguments: [nil, 1, 2] as [Int?], [nil, 1] as [Int?])
  func everyShortHistoryAgreesWithTheModel(limit: Int?, capacity: Int?) {
    var (explored, hasFailed) = (0, false)
    func explore(_ history: [ReadWriteModel.Event]) {
      if hasFailed { return }
      var run = ReadWriteRun(limit: limit, capacity: capacity)
      for event in history { run.apply(event) }
      explored += 1
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        hasFailed = true
        return
      }
      if history.count == 5 { return }
      for event in run.model.possibleEvents(jobs: 4) { explore(history + [event]) }
    }
    explore([])
    #expect(explored > 1_000)
  }

  /// Longer ones, of more jobs, chosen by a generator that makes the same choices each time.
  @Test(arguments: [nil, 1, 2] as [Int?], [nil, 3] as [Int?])
  func longHistoriesAgreeWithTheModel(limit: Int?, capacity: Int?) {
    var choice: UInt64 = 1
    for _ in 0..<300 {
      var run = ReadWriteRun(limit: limit, capacity: capacity)
      var history: [ReadWriteModel.Event] = []
      while history.count < 30, run.mismatch == nil {
        choice = choice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Closing ends all that is of interest, so it seldom comes.
        let events = run.model.possibleEvents(jobs: 12).filter { $0 != .close || history.count > 25 }
        let event = events[Int((choice >> 33) % UInt64(events.count))]
        history.append(event)
        run.apply(event)
      }
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        return
      }
    }
  }
}
