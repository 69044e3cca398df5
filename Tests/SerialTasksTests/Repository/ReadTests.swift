import CoalescingTasks
import Testing

/// Reads of several types, how callers are answered, and what is left of a read.
@Suite(.watched) struct ReadTests {
  /// Fails if: the value type or the failure type is not a part of what makes reads one. (Then this traps, or worse.)
  @Test func equalKeysOfOtherTypesRunSideBySide() async throws {
    let (executor, backend, gate) = (CoalescingTaskExecutor<String>(name: "notes"), Backend(), Gate())
    let number = reading(executor, "a") { await backend.fetch() }
    let text = reading(executor, "a") { "\(await backend.fetch())" }
    let optional = reading(executor, "a") { () -> Int? in await backend.fetch() }
    let typed = Task.immediate {
      try await executor.read("a", rejectedAs: { $0 }) { () async throws(JobRejection) -> Int in await backend.fetch() }
    }
    let nothing = reading(executor, "a") { await gate.pass() }
    #expect(executor.counts == [0, 5])
    let joiner = reading(executor, "a") { "" }
    backend.gate.open()
    gate.open()
    #expect(try await number.value == 1)
    #expect(try await text.value == "2")
    #expect(try await joiner.value == "2")
    #expect(try await optional.value == 3)
    #expect(try await typed.value == 4)
    try await nothing.value
  }

  /// A write that stood between reads has left: they are neighbours.
  ///
  /// Fails if: a read is sought only among the youngest of its key, or who waits for a read to come does not hear of it. (Then this hangs.)
  @Test func aReadInTheBatchInFrontIsJoined() async throws {
    let (executor, reads) = (CoalescingTaskExecutor<String>(), Log<String>())
    executor.pause()
    let first = Task { try await executor.read("x") { reads("x") } }
    try await executor.waitUntil(waiting: 1)
    let write = executor.submitWrite {}
    let other = reading(executor, "y") { reads("y") }
    write.cancel()
    let joiner = reading(executor, "x") { reads("x, again") }
    #expect(executor.snapshot.waiting == 2)
    executor.resume()
    for read in [first, other, joiner] { try await read.value }
    #expect(reads.entries.sorted() == ["x", "y"])
  }

  /// Where all run on one executor, a caller sees its answer before the write that it did not see begins, and before a drain
  /// returns.
  ///
  /// Fails if: the turn is handed on, or the drain ends, before those who wait for the read are resumed.
  @Test(arguments: [false, true]) func answersComeBeforeWhatFollows(drains: Bool) async throws {
    let (thread, gate, log) = (OneThread(), Gate(), Log<String>())
    let executor = CoalescingTaskExecutor<String>()
    let readers = (0..<3).map { _ in
      thread.start {
        _ = try await executor.read("a") { await gate.pass() }
        log("answered")
      }
    }
    try await thread.allHaveParked()
    let follower = thread.start {
      if drains { try await executor.drain() } else { try await executor.write { log("follows") } }
      if drains { log("follows") }
    }
    try await thread.allHaveParked()
    gate.open()
    for reader in readers { try await reader.value }
    try await follower.value
    #expect(log.entries == ["answered", "answered", "answered", "follows"])
  }

  /// The last caller of a read that never begins reports the end of the read too, also if the read was granted its turn.
  ///
  /// Fails if: the end of a read that was granted its turn and never begins is not reported, or one that runs has two ends.
  @Test(arguments: ["waiting", "granted", "running"]) func theLastCallerReportsAReadThatNeverBegins(moment: String) {
    let executor = CoalescingTaskExecutor<String>(name: "notes")
    let line = executor.line
    let callers = [FlightCaller<ReadFlight>(), FlightCaller()]
    line.locked { state in
      var effects = Effects()
      if moment == "waiting" { _ = state.enter(name: "write", task: nil) }
      state.settle()
      let types = ReadTypes(Int.self, (any Error).self)
      let read = ReadFlight(line: line, types: types, kind: .read, name: "read", priority: 0, urgency: 0)
      line.keys.prepare(read.read, touching: Touched("a"), &state)
      _ = state.arrive(read.read, &effects)
      for caller in callers { read.waiters.append(caller) }
      if moment == "running" { _ = read.begin(in: nil, &state) }
      for caller in callers { _ = read.leave(caller, .cancelled, &state) }
      #expect(!callers[0].endsJob)
      #expect(callers[1].endsJob == (moment != "running"))
      if moment == "running" { _ = read.land(&state) } else { #expect(!read.read.isPresent) }
      if moment == "waiting", let light = state.leave() { state.end(light, &effects) }
    }
  }

  /// Fails if: a younger equal read that came next to it keeps the older one, and what it read, until it ends.
  @Test func anAnsweredReadKeepsNothing() async throws {
    final class Result: Sendable {}
    let executor = CoalescingTaskExecutor<Int>(name: "notes")
    let (first, second) = (Gate(), Gate())
    weak var result: Result?
    do {
      let older = reading(executor, 7) {
        await first.pass()
        return Result()
      }
      let write = writing(executor) {}
      let younger = reading(executor, 7) { () -> Result in
        await second.pass()
        return Result()
      }
      write.cancel()
      _ = await write.result
      await second.waitForArrivals()
      first.open()
      result = try await older.value
      _ = younger
    }
    try await until { result == nil }
    #expect(executor.snapshot.running == 1)
    second.open()
    try await executor.drain()
  }

  /// Fails if: a caller that comes when all have been withdrawn gets the answer of an operation that was cancelled.
  @Test func aReadThatWasCancelledIsNotJoined() async throws {
    let (executor, gate) = (CoalescingTaskExecutor<String>(), Gate())
    let old = reading(executor, "x") {
      await gate.pass()
      return Task.isCancelled ? "cancelled" : "old"
    }
    await gate.waitForArrivals()
    executor.cancelAll()
    let new = reading(executor, "x") { "new" }
    #expect(try await new.value == "new")
    gate.open()
    #expect(try await old.value == "cancelled")
  }

  /// Its hash and `==` are counted.
  private struct Counted: Hashable, Sendable {
    let id: Int
    let count: Counter

    static func == (left: Counted, right: Counted) -> Bool {
      left.count.add()
      return left.id == right.id
    }
    func hash(into hasher: inout Hasher) {
      count.add()
      hasher.combine(id)
    }
  }

  private final class Counter: Sendable {
    private let value = Lock(0)
    func add() { value.withLock { $0 += 1 } }
    var total: Int { value.withLock { $0 } }
  }

  /// A write that leaves between reads brings them together without touching them.
  ///
  /// With n writes cancelled from the back, each leaving used to move and to hash every read behind it: 31 s for 4 000. Fails
  /// if: a key is hashed or compared when a write leaves; or, by taking minutes, if the reads behind it are moved one by one
  /// to the reads before it.
  @Test(arguments: [false, true]) func leavingMovesNothing(fromTheBack: Bool) async throws {
    let many = 5_000
    let (counter, gate) = (Counter(), Gate())
    let executor = CoalescingTaskExecutor<Counted>(name: "notes")
    let held = Task.immediate { try await executor.write { await gate.pass() } }
    var (reads, writes): ([Task<Int, any Error>], [SubmittedJob<Void>]) = ([], [])
    for number in 0..<many {
      reads.append(reading(executor, Counted(id: number, count: counter)) { number })
      writes.append(executor.submitWrite {})
    }
    let before = counter.total
    for write in fromTheBack ? writes.reversed() : writes { write.cancel() }
    #expect(counter.total == before)
    #expect(executor.snapshot.waiting == many)
    gate.open()
    try await held.value
    for (number, read) in reads.enumerated() { #expect(try await read.value == number) }
  }

  /// Fails if: a read inside many turns looks its key up for each of them.
  @Test func aReadInsideTurnsLooksItsKeyUpOnce() async throws {
    let counter = Counter()
    let executor = CoalescingTaskExecutor<Counted>(name: "notes")
    @Sendable func read(_ depth: Int) async throws {
      try await executor.read(Counted(id: depth, count: counter)) {
        if depth < 100 { return try await read(depth + 1) }
        let before = counter.total
        try await executor.read(Counted(id: 0, count: counter)) {}
        #expect(counter.total - before < 10)
      }
    }
    try await read(0)
  }
}
