import SerialTasks
import SerialTasksTesting
import Testing

/// Races on real threads: a call whose limit passes in the moment in which it would begin.
@Suite(.serialized, .watched) struct LateRaceTests {
  /// Fails if: a call that is late has run, one that has run is late, or its turn is lost (then this hangs).
  @Test(arguments: LimitedCall.allCases) func lateAgainstTheGrant(_ kind: LimitedCall) async throws {
    var (late, ran) = (0, 0)
    var rounds = Rounds(3_000)
    while let round = rounds.next(bothWays: late > 0 && ran > 0) {
      let (executor, moment, runs) = (LimitedExecutor(kind), Moment(round: round), Log<Int>())
      let holder = Task.immediate { try await executor.hold { await moment.pass() } }
      let first = executor.first {
        runs(1)
        return 1
      }
      let call = Task.immediate {
        try await executor.perform(.seconds(1)) {
          runs(1)
          return 1
        }
      }
      try await executor.clock.sleepers()
      let done = moment.race { executor.clock.advance(by: .seconds(1)) }
      try await holder.value
      switch await call.result {
      case .success(let value):
        ran += 1
        #expect(value == 1 && runs.entries == [1])
      case .failure(let error):
        late += 1
        #expect(error as? JobRejection == .late)
        if first == nil { #expect(runs.entries.isEmpty) }
      }
      _ = try await first?.value
      await done.pass()
      #expect(try await executor.perform(.seconds(1)) { 2 } == 2)
      try await executor.drain()
      #expect(executor.waiting == 0 && !executor.isRunning)
    }
    #expect(rounds.met(late > 0 && ran > 0), "\(late) of \(rounds.played) rounds were late: that is no race")
  }
}
