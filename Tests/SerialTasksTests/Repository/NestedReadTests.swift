import CoalescingTasks
import TestWatch
import Testing

/// Guarantees, *Re-entrancy* of `CoalescingTaskExecutor`: what runs inside a turn, and what would wait for itself.
@Suite(.watched) struct NestedReadTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")

  /// Fails if: a read in a write queues (then this hangs), or is shared with a caller outside.
  @Test func aReadInAWriteRunsAtOnce() async throws {
    let (backend, gate) = (Backend(), Gate())
    let write = writing(executor) {
      await gate.pass()
      #expect(executor.isInJob)
      return try await executor.read("a") { try await executor.read("a") { backend.call() } }
    }
    let outside = reading(executor, "a") { backend.call() }
    gate.open()
    #expect(try await write.value == 1)
    #expect(try await outside.value == 2)
  }

  /// Fails if: a read in a read queues behind a write that waits. (Then this hangs.)
  @Test(arguments: [nil, 1] as [Int?]) func aReadInAReadRunsAtOnce(limit: Int?) async throws {
    let executor = CoalescingTaskExecutor<String>(name: "notes", maximumConcurrentReads: limit)
    let (gate, log) = (Gate(), Log<String>())
    let outer = reading(executor, "a") {
      await gate.pass()
      return try await executor.read("b") { try await executor.read("a") { 1 } }
    }
    let write = writing(executor) { log("write") }
    let behind = reading(executor, "b") { 2 }
    gate.open()
    #expect(try await outer.value == 1)
    try await write.value
    #expect(try await behind.value == 2)
  }

  /// Fails if: only the very task that has the turn is taken for being inside. (Then this hangs.)
  @Test(.enabled(if: childrenAreCertain), arguments: [false, true])
  func aReadInAChildTaskRunsAtOnce(isWrite: Bool) async throws {
    let (gate, executor) = (Gate(), executor)
    @Sendable func children() async throws -> Int {
      await gate.pass()
      async let child = executor.read("b") { 1 }
      let sum = try await withThrowingTaskGroup { group in
        for value in 2...3 {
          group.addTask {
            async let grandchild = executor.read("b") { value }
            return try await grandchild
          }
        }
        return try await group.reduce(0, +)
      }
      return try await child + sum
    }
    let outer = isWrite ? writing(executor, children) : reading(executor, "a", children)
    let write = writing(executor) {}
    gate.open()
    #expect(try await outer.value == 6)
    try await write.value
  }

  /// ```
  /// read:     1 ── gate ──┤
  /// urgent:      waits to write 1 ·············· 1
  /// other:    2 ── reads 1, before the write ─┤
  /// ```
  /// Fails if: a read that goes before an urgent write, since that waits for its turn, is not raised.
  @Test(arguments: [false, true]) func aReadThatGoesBeforeAnUrgentWriteIsRaised(isWriteLeft: Bool) async throws {
    let (gate, inside) = (Gate(), Gate())
    let read = Task.detached(priority: .background) { [executor] in
      try await executor.read("1") { await gate.pass() }
    }
    await gate.arrived()
    let first = executor.submitWrite(touching: ["1"], priority: .high) {}
    let nested = Task.detached(priority: .background) { [executor] in
      try await executor.write(touching: ["2"]) {
        try await executor.read("1") {
          await inside.pass()
          return await raised()
        }
      }
    }
    await inside.arrived()
    if isWriteLeft {
      // What it had raised stays so; what comes raises again.
      first.cancel()
      let second = executor.submitWrite(touching: ["1"], priority: .background) {}
      _ = Task.immediate(priority: .high) { try await second.value }
    }
    inside.open()
    #expect(try await nested.value >= .high)
    gate.open()
    try await read.value
    try await executor.drain()
  }

  /// ```
  /// read of 1:   ── held ──┤
  /// write of 2:  writes 1 ·· 1
  /// write of 3:  reads 1, without time ✗
  /// write of 4:  reads 1 ······· 1
  /// ```
  /// Fails if: a read in a turn runs beside a write in another that came before it, or waits for that although it has no time to.
  @Test func callsInTurnsKeepTheirOrder() async throws {
    let (held, log) = (await HeldJob.reading(executor, "1"), Log<String>())
    let write = writing(executor, touching: ["2"]) { [executor] in
      try await executor.write(touching: ["1"]) { log("write") }
    }
    let late = writing(executor, touching: ["3"]) { [executor] in
      _ = await #expect(throws: JobRejection.late) { try await executor.read("1", waitingAtMost: .zero) {} }
    }
    let read = writing(executor, touching: ["4"]) { [executor] in try await executor.read("1") { log("read") } }
    #expect(executor.snapshot.waiting == 2)
    try await held.release()
    for task in [write, late, read] { try await task.value }
    #expect(log.entries == ["write", "read"])
  }

  /// Fails if: a cancelled task reads all the same inside a turn.
  @Test func aCancelledTaskReadsNothingInsideItsTurn() async throws {
    let gate = Gate()
    let write = writing(executor) {
      await gate.pass()
      await #expect(throws: CancellationError.self) { try await executor.read("a") { Issue.record("it ran") } }
    }
    write.cancel()
    gate.open()
    try await write.value
  }

  /// Fails if: a read takes the jobs for its own in which its leader runs.
  @Test func aReadIsNotInItsLeadersJob() async throws {
    let audit = SerialTaskExecutor(name: "audit")
    #expect(try await audit.enqueue { try await executor.read("a") { audit.isInJob } } == false)
    #expect(try await audit.enqueue { try await executor.write { audit.isInJob } })
  }

  /// Fails if: a closed executor rejects what waits or what is read inside a turn.
  @Test func closedNoCallerComesIn() async throws {
    let (backend, log) = (Backend(), Log<String>())
    let running = reading(executor, "a") {
      let outer = await backend.fetch()
      return outer + (try await executor.read("b") { 10 })
    }
    let write = writing(executor) { log("write") }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.read("a") { 0 } }
    await #expect(throws: JobRejection.closed) { try await executor.write {} }
    await #expect(throws: JobRejection.closed) { try await executor.submitWrite {}.value }
    backend.gate.open()
    #expect(try await running.value == 11)
    try await write.value
    try await executor.drain()
    #expect(executor.snapshot.isClosed)
  }

  /// Fails if: a write of every key that only a pause held back begins beside a read that came first meanwhile, in a job of no key.
  @Test func aReadInAJobOfNoKeyDelaysAWriteThatIsHeldBack() async throws {
    let (outer, inner, executor, log) = (Gate(), Gate(), executor, Log<String>())
    let job = Task {
      try await executor.write(touching: [] as [String]) {
        await outer.pass()
        try await executor.read("a") {
          await inner.pass()
          log("read")
        }
      }
    }
    await outer.arrived()
    executor.pause()
    let write = writing(executor) { log("write") }
    try await executor.waits(for: 1)
    outer.open()
    await inner.arrived()
    executor.resume()
    #expect(executor.snapshot.waiting == 1)
    inner.open()
    try await job.value
    try await write.value
    #expect(log.entries == ["read", "write"])
  }

  /// Fails if: it stops a program that is in a turn, or may be: in a child task that nothing tells from a copy.
  @Test func codeInATurnGoesOn() async throws {
    try await executor.write {
      executor.preconditionInJob()
      await withTaskGroup { $0.addTask { executor.preconditionInJob() } }
    }
    try await executor.write(touching: ["a"]) { executor.preconditionInJob("in a write") }
    try await executor.read("a") { executor.preconditionInJob() }
  }
}
