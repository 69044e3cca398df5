import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Events that are lost, late, too many, or of executors that share a name.
@Suite(.watched) struct TimelineGapTests {
  /// Fails if: a job without an end is left out, or looks ended.
  @Test func whatHasNoEndIsUnfinished() {
    let events = [
      Script.event(0, .began, "runs", 1, waited: 0), Script.event(0, .waiting, "waits", 2),
      Script.event(100, .served, "z"),
    ]
    let rows = Script.chart(events)
    #expect(rows[2].hasSuffix("█›") && rows[3].hasSuffix("░›") && rows.last!.contains("› unfinished"))
  }

  /// Fails if: what came before the first event begins with it, or is left out.
  @Test func whatCameBeforeIsMarked() {
    let events = [
      Script.event(0, .finished, "a", 1, waited: 50, ran: 50), Script.event(40, .began, "b", 2, waited: 90),
      Script.event(100, .finished, "b", 2, waited: 90, ran: 60), Script.event(100, .joined, "c", 3),
      Script.event(200, .served, "z"),
    ]
    let rows = Script.chart(events)
    #expect(rows[2].contains("a     ‹") && rows[3].contains("b     ‹░░░") && rows[4].contains("job 3 ‹███"))
    #expect(rows[4].hasSuffix("█›") && rows[5].contains("└ c ") && rows[5].hasSuffix("▒›"), "\(rows)")
  }

  /// Fails if: a job whose beginning is lost has no name although a caller that joined it knows that.
  @Test func aCallerNamesTheJobThatItJoined() {
    let joined = TaskEvent(
      kind: .joined, executor: "notes", job: "c", operation: "load", isShared: true, place: 3, instant: .now)
    let rows = Script.chart([joined])
    #expect(rows[2].hasPrefix("  load ") && rows[3].hasPrefix("  └ c "), "\(rows)")
  }

  /// Fails if: a lost event takes more than itself: the others say how long a job waited and ran.
  @Test func theEndSaysWhatIsLost() {
    let whole =
      Script.job("a", 1, asked: 0, began: 0, ended: 100) + Script.job("b", 2, asked: 20, began: 100, ended: 300)
    let chart = Script.chart(whole)
    for lost in [2, 3] {
      #expect(Script.chart(whole.enumerated().filter { $0.offset != lost }.map(\.element)) == chart)
    }
  }

  /// Fails if: any order of events, or any of them left out, stops the program or leaves out a job.
  @Test func noOrderTraps() {
    let kinds: [TaskEvent.Kind] = [
      .waiting, .drafted, .began, .joined, .served, .heldTooLong(waiting: 1), .finished, .failed(CancellationError()),
      .rejected(.late), .replaced, .left(.withdrawn),
    ]
    var random = SplitMix(seed: 7)
    for _ in 0..<2_000 {
      let events = (0..<8).map { _ in
        Script.event(
          .random(in: -5...5, using: &random), kinds.randomElement(using: &random)!,
          [nil, "a"].randomElement(using: &random)!, [nil, 1, 2].randomElement(using: &random)!,
          waited: [nil, 3].randomElement(using: &random)!, ran: [nil, 2].randomElement(using: &random)!)
      }
      let timeline = Timeline(events)
      #expect(timeline.text(width: 1, lines: 1).split(separator: "\n").count >= 3)
      #expect(timeline.svg().hasSuffix("</svg>") && timeline.trace().hasSuffix("]}\n"))
    }
  }

  /// Fails if: a second job with the place of one that has ended is drawn on its row.
  @Test func aNameMayBeSharedByExecutors() {
    let events = Script.job("a", 1, asked: 0, began: 0, ended: 10) + Script.job("b", 1, asked: 20, began: 30, ended: 40)
    #expect(Script.chart(events).count == 5)
  }

  /// The event is reported after the job has begun, by the thread that called.
  ///
  /// Fails if: a wait that is reported late is another job's.
  @Test func aWaitMayBeReportedLate() {
    let job = Script.job("a", 1, asked: 0, began: 10, ended: 20)
    #expect(Script.chart([job[1], job[0], job[2]]) == Script.chart(job))
    #expect(Script.chart([job[1], job[2], job[0]]) == Script.chart(job))
    let free = Script.job("b", 1, asked: 0, began: 0, ended: 20)
    #expect(Script.chart([free[0], Script.event(0, .waiting, "b", 1), free[1]]) == Script.chart(free))
  }

  /// Fails if: a chart is longer than it may be, hides what is unusual behind what is not, or does not count what it hides.
  @Test func manyJobsAreFolded() {
    let jobs: [[TaskEvent]] = (0..<3_000).map { number in
      let end: TaskEvent.Kind = number % 1_000 == 999 ? .failed(ShopError(description: "no \(number)")) : .finished
      let keys = ["\(number % 12)"]
      return Script.job(
        "job \(number)", UInt64(number), asked: number, began: number + 1, ended: number + 2, keys: keys, end)
    }
    let events = jobs.flatMap(\.self) + (0..<500).map { Script.event(3_100, .rejected(.late), "late \($0)") }
    for lines in [12, 24, 40, 100] {
      let chart = Script.chart(events, width: 80, lines: lines)
      #expect(chart.count <= lines && chart.count >= min(lines / 2, 36))
      #expect(chart.filter { $0.contains("failed: no ") }.count == (lines == 12 ? 2 : 3), "\(chart)")
      #expect(chart.contains { $0.contains("job 0 ") })
      #expect(Script.chart(events, width: 40, lines: lines).count <= lines)
    }
    let fold = Script.chart(events, width: 80).first { $0.contains("…") && $0.contains(" more") } ?? ""
    #expect(fold.contains(" rejected") && fold.contains("█"), "\(fold)")
  }

  /// Fails if: a caller is shown without the job that it joined.
  @Test func aCallerIsShownWithItsJob() {
    let jobs = (0..<100).flatMap { Script.job("job \($0)", UInt64($0), asked: $0, began: $0, ended: 300) }
    let left = [Script.event(200, .joined, "c", 90), Script.event(210, .left(.late), "c", 90, waited: 10)]
    let chart = Script.chart(jobs + left, lines: 12)
    #expect(chart.firstIndex { $0.contains("└ c") } == chart.firstIndex { $0.contains("job 90") }.map { $0 + 1 })
  }

  /// Fails if: times have an unusual unit, or are too many.
  @Test(arguments: [
    (0.000_002, "500 ns"), (0.002, "500 µs"), (0.2, "50 ms"), (4, "1 s"), (90, "30 s"), (400, "2 min"),
    (9_000, "60 min"),
    (200_000, "24 h"), (2_000_000, "120 h"),
  ])
  func timesHaveSensibleUnits(_ seconds: Double, _ second: String) {
    let first = Script.event(0, .served, "a")
    let last = TaskEvent(
      kind: .served, executor: "notes", job: "b", instant: first.instant.advanced(by: .seconds(seconds)))
    let times = Script.chart([first, last])[0].split(separator: "  ").map { String($0.drop { $0 == " " }).trimmed }
    #expect(times.first == "0" && times[1] == second && times.count <= 6, "\(times)")
  }

  /// Fails if: no event is a chart of nothing, or a trap.
  @Test func noEventsAreNoChart() {
    #expect(Timeline([]).text(isASCII: true) == "0")
    #expect(Timeline([]).svg().contains("</svg>") && Timeline([]).trace().contains("traceEvents"))
  }
}
