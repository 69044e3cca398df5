import SerialTasks

extension LineState {
  /// The line of all states that are tested alone: jobs have its turns.
  private static let lineOfTests = Line(name: nil, type: .serialTaskExecutor, clock: AnyClock(ContinuousClock()))

  /// A state that is tested without the line whose state it is.
  static func alone() -> LineState {
    var state = LineState()
    state.line = lineOfTests
    return state
  }
}
