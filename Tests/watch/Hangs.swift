/// What is known of the tests that run, looked at once a second, and whether they hang: a value, to be tested by itself.
///
/// No clock is asked: on a busy machine, or one that slept, a second between two looks may be long, and no test is to blame.
package struct Hangs: Sendable {
  package struct Hang: Equatable, Sendable {
    package enum Why: Equatable, Sendable { case nothingRuns, takesTooLong }

    package let why: Why
    /// Those that hang, the oldest first.
    package let tests: [String]

    package init(why: Why, tests: [String]) {
      self.why = why
      self.tests = tests
    }
  }

  /// So many looks without work are a hang.
  ///
  /// What waits for nothing but itself never works again, so one would do but for a machine that lets a process wait: for its
  /// disk, say.
  package static let patience = min(10, Patience.seconds)
  /// Who uses less of a processor between two looks does not work; tests use hundreds of times as much, the watch a fiftieth.
  package static let work = Duration.milliseconds(5)
  /// The time limit of a test, in looks; all tests begin at once, and share the processors.
  package static let limit = 15 * 60

  private var tests: [(number: Int, name: String, began: Int)] = []
  private var begun = 0
  /// The number of looks.
  package private(set) var looks = 0
  private var changed = 0
  private var idle = 0
  private var used = Duration.zero

  package init() {}

  /// - Returns: The test's number, for ``ends(_:)``.
  package mutating func begins(_ name: String) -> Int {
    begun += 1
    changed = looks
    tests.append((begun, name, looks))
    return begun
  }

  package mutating func ends(_ number: Int) {
    changed = looks
    tests.removeAll { $0.number == number }
  }

  /// Looks, and finds that the process has used so much processor time since it began.
  ///
  /// - Returns: What hangs, if anything does.
  package mutating func look(used now: Duration) -> Hang? {
    looks += 1
    let isIdle = now - used < Hangs.work && !tests.isEmpty
    idle = isIdle ? idle + 1 : 0
    used = now
    if idle >= Hangs.patience { return Hang(why: .nothingRuns, tests: tests.map(\.name)) }
    let late = tests.filter { looks - $0.began >= Hangs.limit }
    return late.isEmpty ? nil : Hang(why: .takesTooLong, tests: late.map(\.name))
  }

  /// For how many looks no test has begun or ended, since that look.
  package func stillness(since look: Int) -> Int { looks - max(look, changed) }
}

extension Hangs.Hang: CustomStringConvertible {
  package var description: String {
    let why =
      switch self.why {
      case .nothingRuns: "nothing has run for \(Hangs.patience) seconds, and these tests wait"
      case .takesTooLong: "these tests have not ended in \(Hangs.limit / 60) minutes"
      }
    return "✘ The tests hang: \(why):\n" + tests.map { "✘   \($0)\n" }.joined()
  }
}
