import SerialTasks
import Testing

/// Explores the histories of jobs that touch keys, and holds the state of a line against a model that is too simple to be wrong.
///
/// Fails if: a job begins beside one that conflicts with it, or before one of those that came earlier; a job waits for one that
/// touches other keys; a place is taken on one of several keys only, or not given back; a slot is given twice, or out of turn;
/// a turn is lost on leave, withdraw, pause, replacement or a rejection at `begin`; a capacity is off by one; a waiter goes on
/// twice or never; a key is forgotten too early or never; a turn that is ended the short way goes to another than it otherwise would; a drain ends early or never; or what is in the way is not raised, or
/// not named.
@Suite(.watched) struct LineStateTests {
  /// Whether histories are one event longer, of one job more and with nested ones: unoptimised that would take many minutes.
  #if DEBUG
    private static let isLong = false
  #else
    private static let isLong = Effort.isFull
  #endif

  static let settings: [LineModel.Settings] = [
    .init(), .init(endsShortly: true), .init(slots: 1), .init(slots: 1, slotsAreForAll: true),
    .init(slots: 2, slotsAreForAll: true), .init(capacity: 1), .init(capacityPerKey: 1, slots: 2),
    .init(capacity: 2, capacityPerKey: 1),
  ]

  @Test(arguments: zip(settings, [4, 4, 3, 4, 3, 3, 3, 3]))
  func everyShortHistoryAgreesWithTheModel(settings: LineModel.Settings, length: Int) {
    let length = Self.isLong ? 5 : length
    let line = KeyedLine<Int>(name: nil, type: .serialTaskExecutor)
    var (explored, longest, hasFailed) = (0, 0, false)
    func explore(_ history: [LineModel.Event], after model: LineModel) {
      if hasFailed { return }
      var run = LineRun(settings, of: line)
      for event in history.dropLast() { run.replay(event) }
      if let last = history.last { run.apply(last, to: model) }
      let next = run.model
      run.windDown()
      explored += 1
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        hasFailed = true
        return
      }
      if history.count == length { return }
      for event in next.possibleEvents(jobs: Self.isLong ? 4 : 3, keys: 3, nests: Self.isLong) {
        if history.count == 3 { longest += 1 }
        if history.count < 3 || Effort.takes(longest) { explore(history + [event], after: next) }
      }
    }
    explore([], after: LineModel(settings: settings))
    #expect(explored > (length > 3 ? Effort.number(short: 5_000, full: 25_000) : 1_000))
  }

  /// Longer ones, of more jobs, chosen by a generator that makes the same choices each time.
  @Test(arguments: settings)
  func longHistoriesAgreeWithTheModel(settings: LineModel.Settings) {
    let line = KeyedLine<Int>(name: nil, type: .serialTaskExecutor)
    var choice: UInt64 = 1
    for _ in 0..<Effort.number(short: 100, full: 1_000) {
      var run = LineRun(settings, of: line)
      var history: [LineModel.Event] = []
      while history.count < 30, run.mismatch == nil {
        choice = choice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Closing ends all that is of interest, so it seldom comes.
        let events = run.model.possibleEvents(jobs: 12, keys: 3, nests: true).filter {
          $0 != .close || history.count > 25
        }
        let event = events[Int((choice >> 33) % UInt64(events.count))]
        history.append(event)
        run.apply(event, to: run.model)
        if history.count % 4 == 0 { run.compareBlockersOfNewJobs() }
      }
      run.windDown()
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        return
      }
    }
  }
}
