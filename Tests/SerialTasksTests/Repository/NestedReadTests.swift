import CoalescingTasks
import TestWatch
import Testing

/// Guarantees, *Re-entrancy* of `CoalescingTaskExecutor`: what runs inside a turn, and what would wait for itself.
@Suite(.watched) struct NestedReadTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")

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

  /// Fails if: a read takes the jobs for its own in which its leader runs.
  @Test func aReadIsNotInItsLeadersJob() async throws {
    let audit = SerialTaskExecutor(name: "audit")
    #expect(try await audit.enqueue { try await executor.read("a") { audit.isInJob } } == false)
    #expect(try await audit.enqueue { try await executor.write { audit.isInJob } })
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
