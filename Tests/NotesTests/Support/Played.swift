@testable import notes

/// Runs made by hand, to judge and to draw without playing.
enum Played {
  /// A call from `asked` to `finished`, in milliseconds.
  static func call(
    _ place: Int, _ call: Call, asked: Int = 0, started: Int, finished: Int, _ outcome: Outcome = .success(.done)
  ) -> PlayedCall {
    PlayedCall(
      place: place, timed: TimedCall(at: .milliseconds(asked), call: call, takes: .zero), asked: .milliseconds(asked),
      started: .milliseconds(started), finished: .milliseconds(finished), outcome: outcome)
  }

  /// So many reads one after the other, all asked for at once, each taking ten milliseconds.
  static func reads(_ count: Int) -> Run {
    Run(
      way: .actor,
      calls: (0..<count).map {
        call($0 + 1, .read(1), started: $0 * 10, finished: $0 * 10 + 10, .failure(.missing(1)))
      })
  }

  static func timeline(_ run: Run) -> Timeline { Timeline(run, Verdict(initial: [], run: run, found: [])) }
}
