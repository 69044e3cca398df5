import CoalescingTasks
import Testing

/// Races on real threads: readers that leave in the moment in which something else happens to their read.
///
/// ```
/// job      ├── held ── now! ─ ends ┤
/// thread            ├ spins ┤ cancels a reader
/// ```
@Suite(.serialized, .watched) struct ReadRaceTests {
  /// Whether the reader left, and not as if anything else had happened.
  private func hasLeft(_ result: Result<Int, any Error>, orHas value: Int) -> Bool {
    switch result {
    case .success(let answer): #expect(answer == value)
    case .failure(let error):
      #expect(error is CancellationError)
      return true
    }
    return false
  }

  /// *Leave against completion*: the only caller of a read that ends, or one of two, with a write behind it.
  ///
  /// Fails if: a caller is answered by its leaving and by the landing, or by neither (then this hangs), the operation is
  /// cancelled for a caller that stays, or the turn is lost or goes on twice.
  @Test(arguments: [false, true]) func leaveAgainstCompletion(anotherStays: Bool) async throws {
    var left = 0
    var rounds = Rounds(2_000)
    while let round = rounds.next(bothWays: left > 0 && left < rounds.played) {
      let (executor, backend, moment) = (CoalescingTaskExecutor<Int>(), Backend(), Moment(round: round))
      let (answers, wasCancelled) = (Log<Int>(), Log<Bool>())
      let calls = (0..<(anotherStays ? 2 : 1)).map { index in
        Task.immediate {
          defer { answers(index) }
          return try await executor.read(7) {
            let call = backend.call()
            await moment.pass()
            wasCancelled(Task.isCancelled)
            return call
          }
        }
      }
      let write = writing(executor) { backend.call() }
      let done = moment.race { calls[0].cancel() }
      if hasLeft(await calls[0].result, orHas: 1) { left += 1 }
      if anotherStays { #expect(try await calls[1].value == 1) }
      await done.pass()
      #expect(try await write.value == 2)
      if anotherStays { #expect(wasCancelled.entries == [false]) }
      #expect(answers.entries.sorted() == Array(calls.indices))
      #expect(try await executor.read(7) { backend.call() } == 3)
    }
    #expect(rounds.met(left > 0 && left < rounds.played), "\(left) of \(rounds.played) rounds left: that is no race")
  }

  /// *Leave against the grant*: a write ends, and a read that waits behind it, alone or beside another, is cancelled.
  ///
  /// Fails if: a read whose only caller has left runs though it had not begun and this was reported, its turn is lost
  /// (then this hangs), or its neighbour suffers.
  @Test(arguments: [nil, 1] as [Int?]) func leaveAgainstTheGrant(limit: Int?) async throws {
    var (left, ran) = (0, 0)
    var rounds = Rounds(2_000)
    while let round = rounds.next(bothWays: left > 0 && ran > 0) {
      let (executor, backend) = (CoalescingTaskExecutor<Int>(maximumConcurrentReads: limit), Backend())
      let (moment, runs) = (Moment(round: round), Log<Int>())
      let write = writing(executor) { await moment.pass() }
      let reads = (1...2).map { key in
        reading(executor, key) {
          runs(key)
          return key
        }
      }
      let behind = writing(executor) { backend.call() }
      let done = moment.race { reads[0].cancel() }
      try await write.value
      if hasLeft(await reads[0].result, orHas: 1) { left += 1 } else { ran += 1 }
      #expect(try await reads[1].value == 2)
      #expect(try await behind.value == 1)
      await done.pass()
      try await executor.drain()
      #expect(Set(runs.entries).count == runs.entries.count && runs.entries.contains(2))
      #expect(executor.snapshot.waiting == 0 && executor.snapshot.running == 0)
    }
    #expect(rounds.met(left > 0 && ran > 0), "\(left) left, \(ran) ran: that is no race")
  }

  /// *The write between leaves against the end of the reads before it*: what stood behind it runs in any case, once.
  ///
  /// Fails if: reads that were let in by a leaving caller are not resumed. (Then this hangs.)
  @Test(arguments: [false, true]) func theWriteBetweenLeaves(isSubmitted: Bool) async throws {
    var (left, ran) = (0, 0)
    var rounds = Rounds(2_000)
    while let round = rounds.next(bothWays: left > 0 && ran > 0) {
      let (executor, backend, moment) = (CoalescingTaskExecutor<Int>(), Backend(), Moment(round: round))
      let first = reading(executor, 1) { await moment.pass() }
      let result: @Sendable () async -> Result<Int, any Error>
      let cancel: @Sendable () -> Void
      if isSubmitted {
        let job = executor.submitWrite { 0 }
        (result, cancel) = ({ await job.result }, { job.cancel() })
      } else {
        let call = writing(executor) { 0 }
        (result, cancel) = ({ await call.result }, { call.cancel() })
      }
      let reads = [2, 2, 3].map { key in reading(executor, key) { backend.call() } }
      let done = moment.race(cancel)
      try await first.value
      if hasLeft(await result(), orHas: 0) { left += 1 } else { ran += 1 }
      for read in reads { _ = try await read.value }
      await done.pass()
      try await executor.drain()
      #expect(backend.calls == 2)
    }
    #expect(rounds.met(left > 0 && ran > 0), "\(left) left, \(ran) ran: that is no race")
  }
}
