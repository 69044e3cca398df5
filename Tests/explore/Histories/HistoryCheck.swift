/// Checks a history against what a database promises whose writes run one after the other.
final class HistoryCheck {
  typealias Moment = History.Moment
  typealias Call = History.Call

  let history: History
  private(set) var broken: History.Broken?
  /// The flights and the writes, by place: the callers of each, in the order in which they asked.
  let callers: [UInt64: [Int]]
  /// Those whose operation ran, in the order of their places.
  let ran: [Int]

  init(_ history: History) {
    self.history = history
    broken = history.broken
    callers = history.callers
    ran = history.ran
  }

  var calls: [Call] { history.calls }

  func name(_ call: Int) -> String { history.name(call) }

  /// Checks a promise; the first that is broken is kept.
  func expect(_ holds: Bool, _ promise: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    if !holds, broken == nil { broken = History.Broken(promise: promise(), detail: detail()) }
  }
}

extension History {
  /// Checks everything; to be called when all calls have been answered and nothing runs any more.
  ///
  /// - Returns: The first promise that was broken.
  package func check() -> Broken? {
    let check = HistoryCheck(self)
    check.checkAnswers()
    check.checkPlaces()
    check.checkTurns()
    check.checkValues()
    check.checkLimit()
    check.checkWaits()
    check.checkJoins()
    check.checkCost()
    check.checkLeaving()
    check.checkLifecycle()
    return check.broken
  }

  /// The flights and the writes, by place: the callers of each, in the order in which they asked.
  var callers: [UInt64: [Int]] {
    var callers: [UInt64: [Int]] = [:]
    for call in calls.indices {
      if let place = calls[call].place { callers[place, default: []].append(call) }
    }
    return callers
  }

  /// Those whose operation ran, in the order of their places.
  var ran: [Int] {
    calls.indices.filter { calls[$0].operation != nil }.sorted { calls[$0].place ?? 0 < calls[$1].place ?? 0 }
  }
}
