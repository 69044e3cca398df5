/// What is known of the tests that run, looked at once a second, and whether they hang: a value, to be tested by itself.
///
/// No clock is asked, and the limit of a test that works is one of processor time: while other processes use the machine, or while
/// it sleeps, a test gets nothing done for minutes, and is not to blame.
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
  /// How much processor time the process may use while a test runs; all tests begin at once, and share it.
  package static let limit = Duration.seconds(30 * 60)

  private var tests: [(number: Int, name: String, began: Duration)] = []
  private var begun = 0
  /// The processor time that the process had used at the last look.
  package private(set) var used = Duration.zero
  /// What it had used when a test began or ended last.
  private var changed = Duration.zero
  private var idle = 0
  /// The looks since a test began or ended.
  private var still = 0

  package init() {}

  /// - Returns: The test's number, for ``ends(_:)``.
  package mutating func begins(_ name: String) -> Int {
    begun += 1
    (changed, still) = (used, 0)
    tests.append((begun, name, used))
    return begun
  }

  package mutating func ends(_ number: Int) {
    (changed, still) = (used, 0)
    tests.removeAll { $0.number == number }
  }

  /// Looks, and finds that the process has used so much processor time since it began.
  ///
  /// - Returns: What hangs, if anything does.
  package mutating func look(used now: Duration) -> Hang? {
    let isIdle = now - used < Hangs.work && !tests.isEmpty
    idle = isIdle ? idle + 1 : 0
    still += 1
    used = now
    if idle >= Hangs.patience { return Hang(why: .nothingRuns, tests: tests.map(\.name)) }
    let late = tests.filter { used - $0.began >= Hangs.limit }
    return late.isEmpty ? nil : Hang(why: .takesTooLong, tests: late.map(\.name))
  }

  /// Those to be named now: for so many looks none has begun or ended.
  package var doubtful: [String] { still == Hangs.patience ? tests.map(\.name) : [] }

  /// The processor time in which no test has begun or ended, since so much was used.
  package func stillness(since start: Duration) -> Duration { used - max(start, changed) }
}

extension Hangs.Hang: CustomStringConvertible {
  package var description: String {
    let why =
      switch self.why {
      case .nothingRuns: "nothing has run for \(Hangs.patience) seconds, and these tests wait"
      case .takesTooLong: "these tests have not ended in \(Hangs.limit) of processor time"
      }
    return "✘ The tests hang: \(why):\n" + tests.map { "✘   \($0)\n" }.joined()
  }
}

extension Hangs {
  /// What is printed of tests that work, or wait for another process, and may never end.
  package static func notice(of tests: [String]) -> String {
    "⏳ For \(patience) seconds no test has begun or ended. These run, and may hang:\n"
      + tests.map { "⏳   \($0)\n" }.joined()
  }
}
