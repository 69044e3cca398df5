@testable import Comparing

extension Contest {
  /// Candidates that take as long as they are told, round by round; the first round is the warm-up.
  static func sample(depth: Int = 10, _ rounds: [(String, [Double])]) -> Contest {
    let setting = Setting(workload: "enqueue", jobKind: "nothing", context: .pool, depth: depth)
    let entries = rounds.map { name, times in
      let script = Script(times)
      return Entry(name, isBaseline: name == "floor") { await Sample(nanosecondsPerJob: script.next()) }
    }
    return Contest(setting, floor: "floor", entries: entries, absent: [Absence("<nobody>", "is not here")])
  }
}

/// Times to be told one after the other.
actor Script {
  private var times: [Double]
  init(_ times: [Double]) { self.times = times }
  func next() -> Double { times.isEmpty ? 1 : times.removeFirst() }
}

func play(_ contests: [Contest], rounds: Int = 3, limit: Duration? = nil) async -> Outcome {
  let pace = Pace(rounds: rounds, longestRound: .seconds(1), weighings: 1, limit: limit)
  var runner = Runner(pace: pace, contests: contests.count, interruption: Interruption())
  return await runner.run(contests)
}
