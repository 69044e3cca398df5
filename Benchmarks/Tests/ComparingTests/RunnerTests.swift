import Testing

@testable import Comparing

@Suite struct RunnerTests {
  // Fails if: the warm-up counts, or the ratio is that of the medians (4 / 2) instead of the median of the rounds' own.
  @Test func ratiosAreOfTheSameRound() async throws {
    let contest = Contest.sample([("floor", [99, 1, 2, 8]), ("way", [99, 4, 2, 8])])
    let outcome = await play([contest])
    let way = try #require(outcome.findings.first { $0.candidate == "way" })
    #expect(way.rounds == 3)
    #expect(way.nanosecondsPerJob.median == 4)
    #expect(way.ratio == 1)
    #expect(outcome.unfinished == nil)
  }

  // Fails if: a floor that was too slow for a second round leaves the others without a ratio.
  @Test func aSlowFloorIsComparedByItsOnlyRound() throws {
    let contest = Contest.sample([("floor", []), ("way", [])])
    let samples = [[40], [99, 4, 2, 8]].map { $0.map { Sample(nanosecondsPerJob: $0) } }
    let standings = zip(contest.entries, samples).map { Standing(entry: $0, samples: $1) }
    let way = try #require(Finding.all(of: standings, in: contest).first { $0.candidate == "way" })
    #expect(way.rounds == 3)
    #expect(way.ratio == 0.1)
  }

  // Fails if: a candidate goes on to a depth at which a round of it would take too long.
  @Test func whoIsTooSlowGoesNoDeeper() async throws {
    let slow = [Double](repeating: 1e7, count: 4)
    let outcome = await play([
      .sample([("floor", []), ("way", slow)]), .sample(depth: 500, [("floor", []), ("way", [])]),
    ])
    #expect(outcome.findings.map(\.candidate) == ["floor", "way", "floor"])
    #expect(outcome.absences.values.joined().contains { $0.why.hasPrefix("too slow for depth 500") })
  }

  // Fails if: a run whose time is over does not say so.
  @Test func timeIsOver() async {
    let outcome = await play([.sample([("floor", [])])], limit: .zero)
    #expect(outcome.findings.isEmpty)
    #expect(outcome.unfinished == "the time for a quick run is over")
  }

  // Fails if: the filter drops the floor, or accepts what matches nothing.
  @Test func filter() throws {
    let contests = [Contest.sample([("floor", []), ("way", []), ("other", [])])]
    #expect(try contests.matching("WAY")[0].entries.map(\.candidate) == ["floor", "way"])
    #expect(try contests.matching("enq")[0].entries.count == 3)
    #expect(throws: (any Error).self) { try contests.matching("nothing of this name") }
  }
}
