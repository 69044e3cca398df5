import Testing

@testable import SerialTasks

/// Every decision of a line, against the rule, in random histories.
///
/// The state is tested alone, without tasks: a history of forty steps takes microseconds, so many cases are met that no test
/// through the API would meet.
@Suite(.watched) struct LineStateTests {
  /// Fails if: any decision of the state is not that of the rule; `LineHistory` says at which step of which seed, and what.
  @Test func randomHistories() {
    var met: [String: Int] = [:]
    // Some are new in each run.
    for seed in Array(0..<700) + (0..<300).map({ _ in UInt64.random(in: 1_000...(.max)) }) {
      var history = LineHistory(seed: seed)
      history.play(40)
      if let breach = history.breach { return #expect(Bool(false), "seed \(seed), \(breach)") }
      met.merge(history.met, uniquingKeysWith: +)
    }
    let cases = [
      "nested", "on hold", "read", "whole", "write", "passes", "drain", "kept", "replaced", "withdrawn", "raised",
    ]
    for name in cases { #expect(met[name] ?? 0 > 50, "\(name) is hardly met") }
    let holds = [
      "left on hold", "withdrawn on hold", "replaced on hold", "hold ended by its time",
      "hold ended by a job behind it",
      "hold ended by that of a job behind it", "hold ended by a drain", "hold ended by pauseAndWait",
      "hold ended by what may pass", "hold ended by close",
    ]
    for name in holds { #expect(met[name] ?? 0 > 5, "\(name) is hardly met") }
  }
}
