import SerialTasks
import Testing

/// Which turns go on, and which of them for too long: explored against a list.
struct EventTimesTests {
  private enum Event: CaseIterable { case begin, endFirst, endLast, pass, look }

  private static let limit = 2

  /// The same as a list, written as plainly as can be.
  private struct Model: Equatable {
    struct Turn: Equatable {
      let place: Int
      let began: Int
      var isReported = false
    }

    var now = 0
    var places = 0
    var turns: [Turn] = []
    var isWatched = false
  }

  private struct Run {
    var model = Model()
    var times = EventTimes(limit: .seconds(EventTimesTests.limit))

    /// Returns where the two disagree.
    mutating func apply(_ event: Event) -> String? {
      switch event {
      case .begin:
        model.places += 1
        let due = times.begin(
          UInt64(model.places), executor: "e", job: "\(model.places)", at: .seconds(model.now),
          waited: .seconds(model.places))
        let expected: Duration? = model.isWatched ? nil : .seconds(model.now + EventTimesTests.limit)
        model.turns.append(.init(place: model.places, began: model.now))
        model.isWatched = true
        return due == expected ? nil : "one task sleeps until \(String(describing: due))"
      case .endFirst: return end(model.turns.isEmpty ? nil : model.turns.removeFirst())
      case .endLast: return end(model.turns.popLast())
      case .pass:
        model.now += 1
        return nil
      case .look: return look()
      }
    }

    private mutating func end(_ turn: Model.Turn?) -> String? {
      guard let turn else { return times.end(99) == nil ? nil : "a turn that never began has ended" }
      guard let found = times.end(UInt64(turn.place)), found.job == "\(turn.place)",
        found.began == .seconds(turn.began), found.waited == .seconds(turn.place), times.turn(at: found.place) == nil
      else { return "\(turn.place) ends as another" }
      return times.end(UInt64(turn.place)) == nil ? nil : "\(turn.place) ends twice"
    }

    private mutating func look() -> String? {
      let (overdue, next) = times.takeOverdue(at: .seconds(model.now))
      var expected: [UInt64] = []
      for index in model.turns.indices
      where !model.turns[index].isReported && model.now - model.turns[index].began >= EventTimesTests.limit {
        model.turns[index].isReported = true
        expected.append(UInt64(model.turns[index].place))
      }
      let due = model.turns.filter { !$0.isReported }.map { $0.began + EventTimesTests.limit }.min()
      model.isWatched = due != nil
      guard overdue.map(\.place) == expected else { return "\(overdue.map(\.place)) are overdue, not \(expected)" }
      return next == due.map { .seconds($0) } && times.isWatched == model.isWatched
        ? nil : "looks again at \(next as Any)"
    }
  }

  /// Fails if: a turn is reported twice, too early or not at all, two tasks sleep or none, or an end finds another's beginning.
  @Test func allShortHistories() {
    var histories = 0
    func explore(_ run: Run, _ history: [Event]) {
      histories += 1
      if history.count == Effort.number(short: 6, full: 8) { return }
      for event in Event.allCases {
        var next = run
        if let mismatch = next.apply(event) {
          Issue.record("after \(history + [event]): \(mismatch)")
          return
        }
        explore(next, history + [event])
      }
    }
    explore(Run(), [])
    #expect(histories == Effort.number(short: 19_531, full: 488_281))
  }

  /// Fails if: where there is no limit, something is watched all the same.
  @Test func withoutALimit() {
    var times = EventTimes()
    #expect(times.begin(1, executor: "e", job: nil, at: .zero, waited: .zero) == nil && !times.isWatched)
    let (overdue, next) = times.takeOverdue(at: .seconds(100))
    #expect(overdue.isEmpty && next == nil)
    let held = times.turn(at: 1)
    #expect(held?.executor == "e" && held?.job == nil && held?.began == .zero && held?.waited == .zero)
  }
}
