import CoalescingTasks
import Testing

/// Races on real threads of `waitUntil(waiting:)` of SerialTasksTesting, and of what the library does for it.
@Suite(.serialized, .watched) struct WaitObserverTests {
  /// ```
  /// thread     ├ spins ┤ submits a job, or joins a flight
  /// test       ├ spins ──┤ waits for one
  /// ```
  ///
  /// Fails if: whether enough wait is asked before the observer is there, and not in the same step. Then this hangs.
  @Test(arguments: [false, true]) func theLastComesAsTheObserverDoes(isFlight: Bool) async throws {
    var rounds = Rounds(isFlight ? 5_000 : 20_000)
    var (early, late) = (0, 0)
    while let round = rounds.next(bothWays: early > 0 && late > 0) {
      let (line, profiles, gate) = (SerialTaskExecutor(), TaskCoalescer<Int, Void>(), Gate())
      line.pause()
      let moment = Moment(round: round)
      let came = moment.race {
        if isFlight {
          Task.immediate { try await profiles.value(for: 7) { await gate.pass() } }
        } else {
          line.submit {}
        }
      }
      await moment.pass()
      func waiting() -> Int { isFlight ? profiles.snapshot.waiting : line.snapshot.waiting }
      if waiting() == 0 { early += 1 } else { late += 1 }
      try await isFlight ? profiles.waitUntil(waiting: 1, for: 7) : line.waitUntil(waiting: 1)
      #expect(waiting() == 1)
      await came.pass()
      gate.open()
      line.resume()
      try await line.drain()
    }
    #expect(rounds.met(early > 0 && late > 0))
  }

  /// Fails if: an observer is resumed twice, which traps, or never, which hangs.
  @Test func theLastComesAsTheObserverIsCancelled() async throws {
    var rounds = Rounds(20_000)
    var thrown = 0
    while let round = rounds.next(bothWays: thrown > 0 && thrown < rounds.played) {
      let line = SerialTaskExecutor()
      line.pause()
      let observer = Task.immediate { try await line.waitUntil(waiting: 1) }
      let moment = Moment(round: round)
      let cancelled = moment.race { observer.cancel() }
      await moment.pass()
      line.submit {}
      let result = await observer.result
      if case .failure(let error) = result {
        thrown += 1
        #expect(error is CancellationError)
      }
      await cancelled.pass()
      // Who observes after that is not forgotten with the one that left.
      let next = Task.immediate { try await line.waitUntil(waiting: 2) }
      line.submit {}
      try await next.value
      line.resume()
      try await line.drain()
    }
    #expect(rounds.met(thrown > 0 && thrown < rounds.played))
  }

  private final class Room: Sendable {
    let waiting = Lock(0)
    let observers = WaitObservers<Int>()
  }

  /// Fails if: an observer that has seen enough is told that it was cancelled, because its task is before it goes on.
  @Test func whoHasSeenEnoughHasNotLeft() async {
    let room = Room()
    let observer = Task.immediate { await room.observers.wait(in: room.waiting) { $0 > 0 } }
    room.waiting.withLock { waiting in
      waiting += 1
      room.observers.note(waiting)
    }
    observer.cancel()
    #expect(await observer.value == nil)
    room.observers.tell()
  }

  /// Sixteen jobs come and stay, others come and leave, and each observer waits for another number of them.
  ///
  /// Fails if: an observer is forgotten when others go on, or leave.
  @Test func manyObserversAndJobs() async throws {
    for round in 0..<Effort.upTo(1_000) {
      let line = SerialTaskExecutor()
      line.pause()
      await withTaskGroup(of: Void.self) { group in
        for count in 1...16 {
          group.addTask {
            await #expect(throws: Never.self) { try await line.waitUntil(waiting: (count + round) % 17) }
          }
          group.addTask {
            let observer = Task { try await line.waitUntil(waiting: count) }
            observer.cancel()
            _ = await observer.result
          }
          group.addTask { line.submit {}.cancel() }
          group.addTask { line.submit {} }
        }
      }
      #expect(line.snapshot.waiting == 16)
      line.resume()
      try await line.drain()
    }
  }
}
