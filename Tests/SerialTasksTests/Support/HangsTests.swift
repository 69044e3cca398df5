import TestWatch
import Testing

/// The watch must be right before a test that never ends means anything: once a second it looks at what the process has used.
@Suite(.watched) struct HangsTests {
  private var hangs = Hangs()
  private var used = Duration.zero

  /// Lets so many looks find nothing, each after so much work.
  private mutating func look(_ times: Int, after work: Duration = .zero) {
    for look in 0..<times {
      used += work
      #expect(hangs.look(used: used) == nil, "look \(look + 1) of \(times)")
    }
  }

  private mutating func lookOnce(after work: Duration = .zero) -> Hangs.Hang? {
    used += work
    return hangs.look(used: used)
  }

  /// Fails if: tests that wait while nothing runs are not found, too soon or too late, or are not all named.
  @Test mutating func nothingRuns() {
    _ = (hangs.begins("a"), hangs.begins("b"))
    look(1, after: .seconds(1))
    look(Hangs.patience - 1, after: Hangs.work / 5)
    #expect(lookOnce() == Hangs.Hang(why: .nothingRuns, tests: ["a", "b"]))
  }

  /// Fails if: idle looks are counted that do not follow one another.
  @Test mutating func somethingRunsNowAndThen() {
    _ = hangs.begins("a")
    for _ in 0..<3 {
      look(1, after: Hangs.work)
      look(Hangs.patience - 1)
    }
  }

  /// Fails if: a process without tests is found to hang, as while it builds its plan, waits for another one, or ends.
  @Test mutating func noTestWaits() {
    look(3 * Hangs.patience)
    hangs.ends(hangs.begins("a"))
    look(3 * Hangs.patience)
    _ = hangs.begins("b")
    look(Hangs.patience - 1)
    #expect(lookOnce()?.tests == ["b"])
  }

  /// Fails if: a test that works has no limit, or those that came later are named with it.
  @Test mutating func aTestThatTakesTooLong() {
    let short = hangs.begins("short")
    _ = hangs.begins("long")
    look(1, after: .seconds(1))
    hangs.ends(short)
    _ = hangs.begins("late")
    look(1, after: Hangs.limit - .seconds(2))
    #expect(lookOnce(after: .seconds(1)) == Hangs.Hang(why: .takesTooLong, tests: ["long"]))
  }

  /// Fails if: a test is late, or who waits loses patience, because other processes use the machine for an hour.
  @Test mutating func anotherProcessHasTheProcessors() {
    _ = hangs.begins("a")
    look(60 * 60, after: Hangs.work)
    #expect(hangs.stillness(since: .zero) == Hangs.work * (60 * 60))
  }

  /// Fails if: who waits loses patience while other tests begin and end, or is not patient for itself.
  @Test mutating func stillness() {
    look(5, after: .seconds(1))
    let test = hangs.begins("a")
    look(2, after: .seconds(1))
    #expect(hangs.stillness(since: .zero) == .seconds(2))
    #expect(hangs.stillness(since: .seconds(6)) == .seconds(1))
    hangs.ends(test)
    #expect(hangs.stillness(since: .zero) == .zero)
  }

  /// Fails if: a test that works and does not end is not named after so many looks, is named again and again, or while others end.
  @Test mutating func aTestThatWorksIsNamed() {
    func names() -> [String] { hangs.doubtful }
    let short = hangs.begins("short")
    look(Hangs.patience - 1, after: .seconds(1))
    #expect(names() == [])
    hangs.ends(short)
    _ = hangs.begins("long")
    look(Hangs.patience - 1, after: .seconds(1))
    #expect(names() == [])
    look(1, after: .seconds(1))
    #expect(names() == ["long"] && Hangs.notice(of: names()).contains("long"))
    look(1, after: .seconds(1))
    #expect(names() == [])
  }

  /// Fails if: a name is missing in what is printed.
  @Test func aHangNamesItsTests() {
    let hang = Hangs.Hang(why: .nothingRuns, tests: ["Tests/A.swift:3 a()", "Tests/A.swift:9 b()"])
    let lines = "\(hang)".split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.dropFirst() == ["✘   Tests/A.swift:3 a()", "✘   Tests/A.swift:9 b()"])
  }
}
