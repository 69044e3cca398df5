import CoalescingTasks
import TestWatch
import Testing

/// Waits that look like cycles and are none: no call is rejected.
@Suite(.watched) struct NoCycleTests {
  let a = SerialTaskExecutor(name: "A")
  let b = SerialTaskExecutor(name: "B")
  let profiles = TaskCoalescer<Int, Int>(name: "profiles")
  let gate = Gate()

  /// ```
  /// job:   A ── starts a task ── ends A
  /// task:       waits for A ············ A ── B ── A's next …
  /// ```
  /// Fails if: the marker that is copied into such a task is taken for certain.
  @Test func anUnstructuredTaskThatAJobStarts() async throws {
    let task = try await a.enqueue {
      let task = Task.immediate { try await a.enqueue { try await b.enqueue { 1 } } }
      #expect(a.snapshot.waiting == 1)
      return task
    }
    #expect(try await task.value == 1)
  }

  /// ```
  /// one:    A ── waits for B ······· B
  /// other:  C ── waits for B ············ B
  /// ```
  /// Fails if: coming to the same holder twice is taken for a cycle.
  @Test func aDiamond() async throws {
    let c = SerialTaskExecutor(name: "C")
    let held = await Held(b)
    let one = waiting(a) { [b] in try await b.enqueue { 1 } }
    let other = waiting(c) { [b] in try await b.enqueue { 2 } }
    let top = Task.immediate { [a] in
      try await SerialTaskExecutor(name: "D").enqueue {
        async let left: Void = a.enqueue {}
        async let right: Void = c.enqueue {}
        _ = try await (left, right)
      }
    }
    #expect(b.snapshot.waiting == 2)
    try await held.release()
    #expect(try await (one.value, other.value) == (1, 2))
    try await top.value
  }

  /// ```
  /// holder:  B ── gate ── ends B
  /// one:     A ── waits for B ·· B ── ends B ── gate ················ ends A
  /// other:                                      B ── waits for A ············ A
  /// ```
  /// Fails if: a wait that was granted leaves its edge behind, and that counts.
  @Test func aWaitThatEndedByAGrant() async throws {
    let held = await Held(b)
    let one = waiting(a) { [gate, b] in
      try await b.enqueue {}
      await gate.pass()
    }
    try await held.release()
    await gate.arrived()
    let other = waiting(b) { [a] in try await a.enqueue { 2 } }
    #expect(a.snapshot.waiting == 1)
    gate.open()
    try await one.value
    #expect(try await other.value == 2)
  }

  /// ```
  /// holder:     A ──────────────────────────────────────────── waits for K ········ K
  /// caller:        asks for 7 ··········· is cancelled ·························· goes on, and cancels the operation
  /// operation:       └─ K ── waits for A ································ ends ──┘
  /// ```
  /// Fails if: the waits of an operation count that no caller wants any more, until its last caller has gone on.
  @Test(arguments: ["flight", "read"]) func anOperationThatNoCallerWants(kind: String) async throws {
    let keyed = KeyedSerialTaskExecutor<Int>(name: "K")
    let notes = CoalescingTaskExecutor<Int>(name: "notes")
    let thread = OneThread()
    let operation = { @Sendable [a] () async throws -> Int in
      try await keyed.enqueue(for: 1) { try await a.enqueue { 1 } }
    }
    try await a.enqueue { [a, profiles] in
      let caller = thread.start {
        if kind == "read" {
          _ = try await notes.read(7) { try await operation() }
        } else {
          _ = try await profiles.value(for: 7) { try await operation() }
        }
      }
      try await a.waits(for: 1)
      try await thread.allHaveParked()
      thread.hold()
      caller.cancel()
      let behind = Task.immediate {
        try await keyed.waits(for: 1)
        thread.goOn()
      }
      do { try await keyed.enqueue(for: 1) {} } catch {
        Issue.record("\(error)")
        behind.cancel()
        thread.goOn()
      }
    }
  }

  /// Fails if: what an operation waits for in `shutDown` counts as ended by itself, though it is not left when it is cancelled.
  @Test func aShutDownInAnOperationThatNoCallerWants() async throws {
    let thread = OneThread()
    let caller = thread.start { [profiles, gate] in
      _ = try await profiles.value(for: 7) {
        await gate.pass()
        await profiles.shutDown(within: .zero)
        return 1
      }
    }
    await gate.arrived()
    try await thread.allHaveParked()
    thread.hold()
    caller.cancel()
    gate.open()
    try await until { profiles.snapshot.running == 0 && profiles.state.withLock { $0.unended.isEmpty } }
    thread.goOn()
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  /// ```
  /// holder:  B ── gate ─────────────────── waits for A ········ A
  /// job:     A ── a child waits for B, is cancelled, leaves ── gate ── ends A
  /// ```
  /// Fails if: a wait that was left leaves its edge behind, and that counts.
  @Test(.enabled(if: childrenAreCertain)) func aWaitThatEndedByLeaving() async throws {
    let inside = Gate()
    let holder = waiting(b) { [gate, a] in
      await gate.pass()
      return try await a.enqueue { 2 }
    }
    await gate.arrived()
    let job = waiting(a) { [b] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await #expect(throws: CancellationError.self) { try await b.enqueue {} } }
        try await b.waits(for: 1)
        group.cancelAll()
      }
      await inside.pass()
    }
    await inside.arrived()
    gate.open()
    try await a.waits(for: 1)
    inside.open()
    try await job.value
    #expect(try await holder.value == 2)
  }

  /// ```
  /// flight 7:  leads ── gate ─────────────────── waits for A ········ A ── 1
  /// job:       A ── a child joins 7, is cancelled, leaves ── gate ── ends A
  /// ```
  /// Fails if: a caller that has left a flight still ties its executor to it.
  @Test(.enabled(if: childrenAreCertain)) func aCallerThatLeftAFlight() async throws {
    let inside = Gate()
    let flight = Task.immediate { [gate, a, profiles] in
      try await profiles.value(for: 7) {
        await gate.pass()
        return try await a.enqueue { 1 }
      }
    }
    await gate.arrived()
    let job = waiting(a) { [profiles] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await #expect(throws: CancellationError.self) { try await profiles.value(for: 7) { 2 } } }
        try await profiles.waits(for: 2)
        group.cancelAll()
      }
      await inside.pass()
    }
    await inside.arrived()
    gate.open()
    try await a.waits(for: 1)
    inside.open()
    try await job.value
    #expect(try await flight.value == 1)
  }

  /// ```
  /// job 1:   A ── starts a task ── ends A
  /// task:         (has A's marker) ──────────── waits for B ······· B
  /// job 2:                          A ── gate ──────────────────── ends A
  /// holder:  B ─────────────────────────────────────── waits for A ······ A
  /// ```
  /// Fails if: a marker that outlives its job makes an edge of the job that has the turn now.
  @Test func aTaskThatOutlivesItsJob() async throws {
    let (start, release) = (Gate(), Gate())
    let task = try await a.enqueue {
      Task { [b] in
        await start.pass()
        return try await b.enqueue { 1 }
      }
    }
    let holder = waiting(b) { [gate, a] in
      await gate.pass()
      return try await a.enqueue { 2 }
    }
    let second = waiting(a) { await release.pass() }
    await gate.arrived()
    await release.arrived()
    start.open()
    try await b.waits(for: 1)
    gate.open()
    try await a.waits(for: 1)
    release.open()
    try await second.value
    #expect(try await (task.value, holder.value) == (1, 2))
  }

  /// What a job of A waits for, until it goes on.
  enum Awaited: CaseIterable {
    case call, result, read, flight, drain
  }

  /// Fails if: the edge of a wait that has ended stays in the graph, and with it all that it holds.
  @Test(arguments: Awaited.allCases) func anEdgeEndsWithItsWait(_ awaited: Awaited) async throws {
    let notes = CoalescingTaskExecutor<Int>()
    let holder = b.submit { [gate] in await gate.pass() }
    let read = notes.submitRead(1) { [gate] in await gate.pass() }
    let flight = Task.immediate { [gate, profiles] in
      try await profiles.value(for: 1) {
        await gate.pass()
        return 1
      }
    }
    await gate.arrived(3)
    let job = waiting(a) { [a, b, profiles] in
      switch awaited {
      case .call: try await b.enqueue {}
      case .result: try await holder.value
      case .read: try await notes.read(1) {}
      case .flight: _ = try await profiles.value(for: 1) { 2 }
      case .drain: try await b.drain()
      }
      return WaitGraph.waits(from: a.line)
    }
    #expect(WaitGraph.waits(from: a.line) == 1)
    gate.open()
    #expect(try await job.value == 0)
    try await holder.value
    try await read.value
    #expect(try await flight.value == 1)
  }
}
