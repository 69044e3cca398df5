import SerialTasks
import Testing

/// Races on real threads: a job is cancelled in the moment in which it is handed its turn.
///
/// ```
/// first    ├── runs ── now! ┤
/// middle   ├── waits ───────┼ granted … or not?
/// last     ├── waits ───────┼──────┼ runs ┤
/// thread             ├ spins ┤ cancels middle
/// ```
@Suite(.serialized, .watched) struct CancelAgainstHandoverTests {
  /// Fails if: the turn is lost when the cancelled caller had been granted it (then this hangs), a caller that saw its
  /// rejection runs all the same, or a job runs twice.
  @Test func callers() async throws {
    try await race { executor, job in
      let call = waiting(executor, job)
      return Contestant(cancel: { call.cancel() }, result: { await call.result })
    }
  }

  @Test func submittedJobs() async throws {
    try await race { executor, job in
      let submitted = executor.submit { await job() }
      return Contestant(cancel: { submitted.cancel() }, result: { await submitted.result })
    }
  }

  private struct Contestant: Sendable {
    let cancel: @Sendable () -> Void
    let result: @Sendable () async -> Result<Void, any Error>
  }

  private func race(
    _ come: (SerialTaskExecutor, @escaping @Sendable () async -> Void) -> Contestant
  ) async throws {
    var rounds = Rounds(10_000)
    var rejected = 0
    while let round = rounds.next(bothWays: rejected > 0 && rejected < rounds.played) {
      let executor = SerialTaskExecutor()
      let runs = Log<Int>()
      let moment = Moment(round: round)
      let first = waiting(executor) {
        await moment.pass()
        runs(0)
      }
      let contestants = (1...2).map { index in come(executor) { runs(index) } }
      let cancelled = moment.race { contestants[0].cancel() }
      try await first.value
      let middle = await contestants[0].result()
      let seen = runs.entries.contains(1)
      try await contestants[1].result().get()
      await cancelled.pass()
      try await executor.drain()
      if case .failure(let error) = middle {
        rejected += 1
        #expect(error is CancellationError)
        #expect(runs.entries == [0, 2])
      } else {
        #expect(seen)
        #expect(runs.entries == [0, 1, 2])
      }
    }
    let wasRace = rounds.met(rejected > 0 && rejected < rounds.played)
    #expect(wasRace, "\(rejected) of \(rounds.played) rounds rejected: that is no race")
  }

  /// Few keys that are busy for a moment, on real threads.
  ///
  /// Each arrival races the last user of its key, which is about to give the line away. A tenth of the callers are
  /// cancelled at some moment.
  ///
  /// Fails if: a line goes to another key while a caller is about to arrive at it, or (under ThreadSanitizer) a task that
  /// awaits a job asks its line for its name when the line may be about to go.
  @Test func arrivingAgainstGoing() async throws {
    let keys = KeyedSerialTaskExecutor<Int>(capacityPerKey: 1_000)
    let exclusions = (0..<4).map { _ in Exclusion() }
    await withTaskGroup { group in
      for producer in 0..<4 {
        group.addTask {
          for round in 0..<Effort.upTo(5_000) {
            let key = (round + producer) % 4
            let job: @Sendable () -> Void = {
              exclusions[key].enter()
              exclusions[key].leave()
            }
            let call = Task { try await keys.enqueue(for: key, job) }
            let submitted = keys.submit(for: key, job)
            if round.isMultiple(of: 10) { call.cancel() }
            if round.isMultiple(of: 7) { submitted.cancel() }
            _ = await (call.result, submitted.result)
          }
        }
      }
    }
    try await keys.drain()
    #expect(exclusions.allSatisfy { $0.most == 1 })
    #expect(keys.size.busy == 0)
  }
}
