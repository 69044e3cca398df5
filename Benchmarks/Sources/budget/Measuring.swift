/// Something to measure: runs once, and returns how many nanoseconds one operation of it took.
typealias Candidate = () async -> Double

/// A promise on speed: the subject takes at most `limit` times what the floor takes, measured in the same round.
///
/// A floor is the parts that the subject is made of, written out where they are used, as a user would write them without this
/// library. Without a limit, it is something that users write instead, to be compared with and nothing more.
struct BudgetLine {
  let title: String
  let floorTitle: String
  var limit: Double?
  let subject: Candidate
  let floor: Candidate
}

struct Finding {
  let line: BudgetLine
  let subject: [Double]
  let floor: [Double]

  /// The ratio of each round; machines drift, rounds do not.
  var ratios: [Double] { zip(subject, floor).map { $0 / $1 } }
  var verdict: String { line.limit.map { "\(median(ratios) <= $0 ? "holds" : "MISSED") ≤ \($0)" } ?? "" }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Runs the two in turn, one warm-up and then `rounds` times.
func measure(_ line: BudgetLine, rounds: Int) async -> Finding {
  var subject: [Double] = []
  var floor: [Double] = []
  for round in 0...rounds {
    let (first, second) = await (line.subject(), line.floor())
    if round == 0 { continue }
    subject.append(first)
    floor.append(second)
  }
  return Finding(line: line, subject: subject, floor: floor)
}

/// Nanoseconds for each of `count` operations.
func nanoseconds(
  per count: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
) async -> Double {
  let elapsed = await ContinuousClock().measure(body)
  let (seconds, attoseconds) = elapsed.components
  return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
}
