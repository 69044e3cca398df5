import SerialTasks
import TestWatch
import Testing

/// Waits over several executors that would never end: the call that closes the cycle is rejected, and all others go on.
@Suite(.watched) struct CycleTests {
  let a = SerialTaskExecutor(name: "A")
  let b = SerialTaskExecutor(name: "B")
  let c = SerialTaskExecutor(name: "C")
  let gate = Gate()

  /// ```
  /// one:    A ── gate ── waits for B ······················· B ── done
  /// other:       B ──────────────────── A ✗ ── ends B
  /// ```
  /// Fails if: a wait adds no edge, or only to the innermost turn.
  @Test(arguments: [false, true]) func twoTasksInOppositeOrder(swapped: Bool) async throws {
    let (one, other) = swapped ? (b, a) : (a, b)
    let first = waiting(one) { [gate] in
      await gate.pass()
      return try await other.enqueue { 1 }
    }
    await gate.arrived()
    try await other.enqueue {
      gate.open()
      try await other.waits(for: 1)
      await expectCycle([one.name!, other.name!, one.name!]) { try await one.enqueue {} }
    }
    #expect(try await first.value == 1)
  }

  /// ```
  /// one:    A ── gate ── waits for B ············ B ── done
  /// two:    B ── gate ── waits for C ······· C ── done
  /// three:  C ───────────────────────── A ✗
  /// ```
  /// Fails if: only direct waits are looked at.
  @Test func threeExecutorsRound() async throws {
    let one = waiting(a) { [gate, b] in
      await gate.pass()
      return try await b.enqueue { 1 }
    }
    let two = waiting(b) { [gate, c] in
      await gate.pass()
      return try await c.enqueue { 2 }
    }
    await gate.arrived(2)
    try await c.enqueue {
      gate.open()
      try await b.waits(for: 1)
      try await c.waits(for: 1)
      await expectCycle(["A", "B", "C", "A"]) { try await a.enqueue {} }
    }
    #expect(try await (one.value, two.value) == (1, 2))
  }

  /// ```
  /// one:    A ──┬─ waits for B ······· B ─┬─ done
  ///             └─ waits for C ··· C ─────┘
  /// two:    B ──────────── A ✗ ── ends B
  /// three:  C ── gate ──────────── done
  /// ```
  /// Fails if: a job of which one child never ends counts as one that ends, because another child does.
  @Test(.enabled(if: childrenAreCertain)) func oneOfTwoChildren() async throws {
    let three = waiting(c) { [gate] in
      await gate.pass()
      return 3
    }
    await gate.arrived()
    let one = try await b.enqueue { [a, b, c] in
      let one = waiting(a) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await b.enqueue {} }
          group.addTask { try await c.enqueue {} }
          try await group.waitForAll()
        }
        return 1
      }
      try await b.waits(for: 1)
      try await c.waits(for: 1)
      await expectCycle(["A", "B", "A"]) { try await a.enqueue {} }
      return one
    }
    gate.open()
    #expect(try await (one.value, three.value) == (1, 3))
  }

  /// ```
  /// one:    A ── B ── gate ── waits for C ········ C ── done
  /// other:       C ──────────────────────── A ✗
  /// ```
  /// Fails if: an edge is added for the innermost turn of the caller only.
  @Test func theOuterTurnOfTheCallerThatWaits() async throws {
    let one = waiting(a) { [gate, b, c] in
      try await b.enqueue {
        await gate.pass()
        return try await c.enqueue { 1 }
      }
    }
    await gate.arrived()
    try await c.enqueue {
      gate.open()
      try await c.waits(for: 1)
      await expectCycle(["A", "C", "A"]) { try await a.enqueue {} }
    }
    #expect(try await one.value == 1)
  }

  /// ```
  /// mine:   A ── a child waits for B ·· B
  ///            └─ a child waits for C ························ C ── done
  /// other:  C ───────────────────────────── A ✗ ── ends C
  /// ```
  /// Fails if: the end of one child's wait takes the edges of the others with it.
  @Test(.enabled(if: childrenAreCertain)) func aChildThatWaitsOnWhenAnotherHasGoneOn() async throws {
    let (held, wentOn) = (await Held(b), Gate())
    let other = waiting(c) { [gate, a] in
      await gate.pass()
      await expectCycle(["A", "C", "A"]) { try await a.enqueue {} }
    }
    await gate.arrived()
    let mine = waiting(a) { [b, c] in
      async let one: Void = b.enqueue { wentOn.open() }
      async let two: Void = c.enqueue {}
      _ = try await (one, two)
    }
    try await b.waits(for: 1)
    try await c.waits(for: 1)
    try await held.release()
    await wentOn.pass()
    gate.open()
    // If no call is rejected, this ends it.
    try await until { a.snapshot.waiting == 1 || c.snapshot.waiting == 0 }
    other.cancel()
    try await other.value
    try await mine.value
  }

  /// ```
  /// other:  B ── gate ── waits for A ·················· A ── done
  /// mine:   A ── submits to B, awaits its value ✗
  /// ```
  /// Fails if: who awaits a value is not looked at.
  @Test func theValueOfAJobBehindOneThatWaitsForMine() async throws {
    let other = waiting(b) { [gate, a] in
      await gate.pass()
      return try await a.enqueue { 1 }
    }
    await gate.arrived()
    let behind = try await a.enqueue {
      gate.open()
      try await a.waits(for: 1)
      let behind = b.submit { 2 }
      await expectCycle(["B", "A", "B"]) { try await behind.value }
      return behind
    }
    #expect(try await (other.value, behind.value) == (1, 2))
  }

  /// ```
  /// other:  B ── gate ── waits for A ······· A ── done
  /// mine:   A ── drains B ✗
  /// ```
  /// Fails if: only a drain of the executor's own is looked at.
  @Test func drainOfAnotherWhoseJobWaitsForMine() async throws {
    let other = waiting(b) { [gate, a] in
      await gate.pass()
      return try await a.enqueue { 1 }
    }
    await gate.arrived()
    try await a.enqueue {
      gate.open()
      try await a.waits(for: 1)
      await expectCycle(["B", "A", "B"]) { try await b.drain() }
    }
    #expect(try await other.value == 1)
  }

  /// ```
  /// mine:   A ── drains B ················································· done
  /// other:  B ── gate ── A ✗ ── ends B
  /// ```
  /// Fails if: a drain adds no edge.
  @Test func aJobThatWaitsForOneThatDrainsIt() async throws {
    let other = waiting(b) { [gate, a] in
      await gate.pass()
      await expectCycle(["A", "B", "A"]) { try await a.enqueue {} }
    }
    await gate.arrived()
    let mine = waiting(a) { [b] in try await b.drain() }
    gate.open()
    try await other.value
    try await mine.value
  }

  /// A wait that its own caller would have ended counts like any other: the library cannot see the caller's deadline.
  ///
  /// Fails if: the documentation, which says so, is not true any more.
  @Test(.enabled(if: childrenAreCertain)) func aDeadlineOfTheCallersOwnIsNotSeen() async throws {
    let (notes, audit) = (SerialTaskExecutor(name: "notes"), SerialTaskExecutor(name: "audit"))
    let (deadline, waits) = (Gate(), Gate())
    let (begun, ask) = (Gate(), Gate())
    let holder = Task {
      try await audit.enqueue {
        begun.open()
        await ask.pass()
        await #expect(throws: JobRejection.self) { try await notes.enqueue {} }
      }
    }
    await begun.pass()
    let job = Task {
      try await notes.enqueue {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await audit.enqueue {} }
          try await audit.waits(for: 1)
          group.addTask {
            waits.open()
            await deadline.pass()
          }
          try await group.next()
          group.cancelAll()
        }
      }
    }
    await waits.pass()
    ask.open()
    try await holder.value
    deadline.open()
    try await job.value
  }
}
