import CoalescingTasks
import Testing

/// What `drain()` of a coalescer waits for, and what follows or replaces an operation meanwhile.
@Suite(.watched) struct FlightDrainTests {
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")
  let gates = (0...3).map { _ in Gate() }
  let log = Log<String>()

  /// Asks in a task of its own, whose operation returns its number when its gate is open.
  private func ask(_ number: Int, _ policy: ReloadPolicy) -> Task<Int, any Error> {
    let (coalescer, gate) = (coalescer, gates[number])
    return Task.immediate {
      try await coalescer.value(for: 7, policy: policy) {
        await gate.pass()
        return number
      }
    }
  }

  private func draining() -> Task<Void, any Error> {
    Task.immediate { [coalescer, log] in
      try await coalescer.drain()
      log("drained")
    }
  }

  /// ```
  ///   1 runs ── drain ── 2 replaces 1, or is to follow it ── 3 replaces 1 and 2, which end ── 3 ends
  /// ```
  /// Fails if: drain does not wait for what has replaced, not at once, what was accepted before it.
  @Test(arguments: [ReloadPolicy.rerun, .supersede]) func whatReplacesItsSuccessor(policy: ReloadPolicy) async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let drain = draining()
    let second = ask(2, policy)
    let third = ask(3, .supersede)
    await gates[3].arrived()
    gates[1].open()
    gates[2].open()
    try await until { coalescer.state.withLock { $0.unended.count } == 1 }
    #expect(coalescer.state.withLock { !$0.drains.isEmpty })
    #expect(log.entries.isEmpty)
    gates[3].open()
    try await drain.value
    #expect(try await [first.value, second.value, third.value] == [3, 3, 3])
  }

  /// Fails if: a caller of `drain` that has left is still listed as waiting, or is answered a second time.
  @Test func whoLeavesIsForgotten() async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let (leaving, staying) = (draining(), draining())
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    #expect(coalescer.state.withLock { $0.drains.waiters.count } == 1)
    gates[1].open()
    try await staying.value
    #expect(try await first.value == 1)
    #expect(log.entries == ["drained"])
  }
}
