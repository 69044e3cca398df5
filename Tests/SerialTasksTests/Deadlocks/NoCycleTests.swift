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
      try await a.waitUntil(waiting: 1)
      try await thread.allHaveParked()
      thread.hold()
      caller.cancel()
      let behind = Task.immediate {
        try await keyed.waitUntil(waiting: 1)
        thread.goOn()
      }
      do { try await keyed.enqueue(for: 1) {} } catch {
        Issue.record("\(error)")
        behind.cancel()
        thread.goOn()
      }
    }
  }

  /// Fails if: what an operation waits for in `shutDown` counts as ended by itself, though it is not left when it is cancelled; or it is
  /// told that all has ended, or waits for a limit first. (Then this hangs.)
  @Test func aShutDownInAnOperationThatNoCallerWants() async throws {
    let thread = OneThread()
    let caller = thread.start { [profiles, gate] in
      _ = try await profiles.value(for: 7) {
        await gate.pass()
        for limit in [Duration.zero, .seconds(3_600)] { #expect(await !profiles.shutDown(within: limit)) }
        return 1
      }
    }
    await gate.waitForArrivals()
    try await thread.allHaveParked()
    thread.hold()
    caller.cancel()
    gate.open()
    try await until { profiles.snapshot.running == 0 && profiles.state.withLock { $0.unended.isEmpty } }
    thread.goOn()
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  /// What a job of A waits for, until it goes on.
  enum Awaited: CaseIterable {
    case call, result, read, flight, drain, shutDown
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
    await gate.waitForArrivals(3)
    let job = waiting(a) { [a, b, profiles] in
      switch awaited {
      case .call: try await b.enqueue {}
      case .result: try await holder.value
      case .read: try await notes.read(1) {}
      case .flight: _ = try await profiles.value(for: 1) { 2 }
      case .drain: try await b.drain()
      case .shutDown: await b.shutDown(within: .zero)
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
