import CoalescingTasks
import Testing

/// Races on real threads: leaving against completion, and invalidating against storing.
///
/// ```
/// operation  ├── held ── now! ─ returns ┤ lands
/// thread              ├ spins ┤ cancels … or invalidates
/// ```
@Suite(.serialized, .watched) struct FlightRaceTests {
  private struct Left: Error {}

  /// *Leave against completion*: the only caller, or one of two.
  ///
  /// Fails if: a caller that leaves is resumed by its leaving and by the landing, or by neither (then this hangs), the
  /// operation is cancelled for a caller that stays, or the flight outlives both.
  @Test(arguments: [false, true]) func leaveAgainstCompletion(anotherStays: Bool) async throws {
    var left = 0
    var rounds = Rounds(10_000)
    while let round = rounds.next(bothWays: left > 0 && left < rounds.played) {
      let (coalescer, backend, moment) = (TaskCoalescer<Int, Int>(), Backend(), Moment(round: round))
      let answers = Log<Int>()
      let ended = Gate()
      let wasCancelled = Log<Bool>()
      let operation: @Sendable () async -> Int = {
        let call = backend.call()
        await moment.pass()
        wasCancelled(Task.isCancelled)
        ended.open()
        return call
      }
      let calls = (0..<(anotherStays ? 2 : 1)).map { index in
        Task.immediate {
          defer { answers(index) }
          return try await coalescer.value(for: 7, operation)
        }
      }
      let done = moment.race { calls[0].cancel() }
      switch await calls[0].result {
      case .success(let value): #expect(value == 1)
      case .failure(let error):
        left += 1
        #expect(error is CancellationError)
      }
      if anotherStays { #expect(try await calls[1].value == 1) }
      await done.pass()
      await ended.pass()
      #expect(answers.entries.sorted() == Array(calls.indices))
      if anotherStays { #expect(wasCancelled.entries == [false]) }
      // Nothing of it is left: not its flight, not its answer.
      #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(2))
    }
    #expect(rounds.met(left > 0 && left < rounds.played), "\(left) of \(rounds.played) rounds left: that is no race")
  }

  /// *Invalidate against store*: what was asked for before `invalidate` is served to no caller that comes after it.
  ///
  /// Fails if: a landing that comes just after `invalidate` is stored, or a caller after it joins what still flies.
  @Test func invalidateAgainstStore() async throws {
    var (before, after) = (0, 0)
    var rounds = Rounds(10_000)
    while let round = rounds.next(bothWays: before > 0 && after > 0) {
      let (coalescer, backend, moment) = (TaskCoalescer<Int, Int>(), Backend(), Moment(round: round))
      coalescer.prefetch(7, expiresAfter: .seconds(3_600)) {
        let call = backend.call()
        await moment.pass()
        return call
      }
      let snapshots = Log<CoalescerSnapshot>()
      let readers = Log<Task<CoalescedAnswer<Int>, any Error>>()
      let done = moment.race {
        snapshots(coalescer.snapshot)
        coalescer.invalidate(7)
        snapshots(coalescer.snapshot)
        readers(asking(coalescer) { backend.call() })
      }
      await done.pass()
      #expect(try await readers.entries[0].value == .led(2))
      try await until { coalescer.snapshot.running == 0 }
      #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(3))
      #expect(backend.calls == 3)
      #expect(coalescer.shelved == 0)
      if snapshots.entries[0].stored == 1 { before += 1 }
      if snapshots.entries[1].running == 1 { after += 1 }
    }
    let wasRace = rounds.met(before > 0 && after > 0)
    #expect(wasRace, "\(before) stored before it, \(after) landed after it: that is no race")
  }

  /// The same with a caller that comes on another thread, before or after: it joins, is served or leads, and the backend is
  /// called once for the prefetch and once for each that leads.
  @Test func invalidateAgainstStoreAndACaller() async throws {
    var met: [CoalescedAnswer<Int>.Source: Int] = [:]
    var rounds = Rounds(10_000)
    while let round = rounds.next(bothWays: met.keys.count >= 2) {
      let (coalescer, backend, moment) = (TaskCoalescer<Int, Int>(), Backend(), Moment(round: round))
      coalescer.prefetch(7, expiresAfter: .seconds(3_600)) {
        let call = backend.call()
        await moment.pass()
        return call
      }
      let done = moment.race { coalescer.invalidate(7) }
      let answers = Log<CoalescedAnswer<Int>>()
      // By the pool, and later or earlier.
      let reader = Task {
        for _ in 0..<round % 3 { await Task.yield() }
        answers(try await coalescer.answer(for: 7) { backend.call() })
      }
      try await reader.value
      await done.pass()
      try await until { coalescer.snapshot.running == 0 }
      let answer = answers.entries[0]
      met[answer.source, default: 0] += 1
      #expect(answers.entries.count == 1)
      #expect(answer.value == (answer.source == .led ? 2 : 1))
      #expect(backend.calls == (answer.source == .led ? 2 : 1))
      #expect(coalescer.shelved == 0)
    }
    #expect(rounds.met(met.keys.count >= 2), "\(met): that is no race")
  }
}
