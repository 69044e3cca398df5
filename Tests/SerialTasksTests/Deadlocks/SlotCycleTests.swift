import CoalescingTasks
import TestWatch
import Testing

/// Cycles over jobs that wait for a slot, and over those that a call inside a turn goes before.
@Suite(.watched) struct SlotCycleTests {
  let notes = SerialTaskExecutor(name: "notes")
  let one = CoalescingTaskExecutor<Int>(name: "one", maximumConcurrentReads: 1)
  let gate = Gate()
  let idle = Gate()

  /// ```
  /// read 1:  one ─┬─ gate ── waits for notes ·····
  ///               └─ read 2, inside it ── idle ···
  /// job:     notes ────────── read 3 ✗
  /// ```
  /// Fails if: a call inside a turn is taken to have a slot that it returns. (Then this hangs.)
  @Test(.enabled(if: childrenAreCertain)) func aReadInsideTheOneThatHasTheSlot() async throws {
    let read = reading(one, 1) { [one, notes, gate, idle] in
      async let inner: Void = one.read(2) { await idle.pass() }
      await gate.pass()
      try await notes.enqueue {}
      try await inner
    }
    await idle.arrived()
    await gate.arrived()
    try await notes.enqueue {
      gate.open()
      try await notes.waits(for: 1)
      await expectCycle(["one[3]", "slots of one (1, held by one[1])", "notes", "one[3]"]) { try await one.read(3) {} }
    }
    idle.open()
    try await read.value
  }

  /// ```
  /// read 2:   one ── gate ── waits for notes ·········
  /// write 1:  one ── idle ····························
  /// read 1:   waits for the write, and then for a slot
  /// job:      notes ───────── write 1 ✗
  /// ```
  /// Fails if: what needs no slot is taken to wait for jobs that run alone, although those between wait for a slot. (Then this
  /// hangs.)
  @Test func aWriteBehindAReadThatWillLackASlot() async throws {
    let read = reading(one, 2) { [notes, gate] in
      await gate.pass()
      try await notes.enqueue {}
    }
    one.submitWrite(touching: [1]) { [idle] in await idle.pass() }
    await gate.arrived()
    await idle.arrived()
    let behind = reading(one, 1) {}
    try await notes.enqueue {
      gate.open()
      try await notes.waits(for: 1)
      await expectCycle(["one[1]", "slots of one (1, held by one[2])", "notes", "one[1]"]) {
        try await one.write(touching: [1]) {}
      }
    }
    idle.open()
    for task in [read, behind] { try await task.value }
    try await one.drain()
  }

  /// ```
  /// job of 3:     bank ── gate ── waits for notes ·····································
  /// job of 5:     bank ── idle ································
  /// job:          notes ───────── waits for 1 and 5 ···········
  /// job of 7:     bank ────────────────────────── calls 1 and 3 ✗, which would go before that
  /// ```
  /// Fails if: a call inside a turn that closes a cycle of others is not looked for. (Then this hangs.)
  @Test func aCallInATurnThatGoesBeforeAWaitingJob() async throws {
    let bank = KeyedSerialTaskExecutor<Int>(name: "bank")
    let three = bank.submit(for: 3) { [notes, gate] in
      await gate.pass()
      try await notes.enqueue {}
    }
    let five = bank.submit(for: 5) { [idle] in await idle.pass() }
    await gate.arrived()
    await idle.arrived()
    let job = waiting(notes) { try await bank.enqueue(forAll: [1, 5]) {} }
    try await bank.waits(for: 1)
    gate.open()
    try await notes.waits(for: 1)
    try await bank.enqueue(for: 7) {
      let error = await #expect(throws: JobRejection.self) { try await bank.enqueue(forAll: [1, 3]) {} }
      guard case .deadlock = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
    idle.open()
    for task in [three, five] { try await task.value }
    try await job.value
  }

  /// ```
  /// job of x:        bank ── idle ·····························
  /// job of y:        bank ── gate ─────────── awaits the last ✗
  /// call of x and y: behind both
  /// last of x:       behind that call
  /// ```
  /// Fails if: a job is taken to wait on a key only for what runs there, though a job of several keys stands between, or a call inside a
  /// turn, which waits elsewhere too. (Then this hangs.)
  @Test(arguments: [false, true]) func behindAJobThatWaitsElsewhere(isNested: Bool) async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "bank")
    // Jobs of several keys make a queue one in which this may be, and so does a call inside a turn.
    let (before, behind) = isNested ? (["x"], ["x"]) : (["x", "w"], ["x", "v"])
    let first = bank.submit(forAll: before) { [idle] in await idle.pass() }
    await idle.arrived()
    let other = waiting(bank, "y") { [gate] in
      await gate.pass()
      let error = await #expect(throws: JobRejection.self) { try await bank.submit(forAll: behind) {}.value }
      guard case .deadlock = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
    await gate.arrived()
    let between = Task.immediate {
      let both = { @Sendable in try await bank.enqueue(forAll: ["x", "y"]) {} }
      if isNested { try await bank.enqueue(for: "z", both) } else { try await both() }
    }
    gate.open()
    try await other.value
    idle.open()
    try await first.value
    try await between.value
    try await bank.drain()
  }
}
