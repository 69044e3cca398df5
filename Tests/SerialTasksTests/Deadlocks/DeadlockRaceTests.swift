import SerialTasks
import Testing

/// Cycles that are closed by two threads at once, which gates cannot place.
@Suite(.watched) struct DeadlockRaceTests {
  /// Of two tasks that use two executors in opposite order, at most one is rejected, and neither hangs.
  ///
  /// Fails if: looking for a cycle and taking the place are not one step. (Then this hangs.)
  @Test func twoInOppositeOrder() async throws {
    let (a, b) = (SerialTaskExecutor(name: "A"), SerialTaskExecutor(name: "B"))
    var rounds = Rounds(20_000)
    var rejections = 0
    while let round = rounds.next(bothWays: rejections > 0 && rejections < rounds.played) {
      async let one = take(a, then: b, yields: round % 2 == 0)
      async let other = take(b, then: a, yields: round % 3 == 0)
      let rejected = try await [one, other].count { !$0 }
      #expect(rejected < 2)
      rejections += rejected
    }
    #expect(rounds.met(rejections > 0 && rejections < rounds.played))
  }

  /// Returns whether it had both.
  private func take(_ one: SerialTaskExecutor, then other: SerialTaskExecutor, yields: Bool) async throws -> Bool {
    try await one.enqueue {
      if yields { await Task.yield() }
      do {
        try await other.enqueue {}
        return true
      } catch JobRejection.deadlock { return false }
    }
  }
}
