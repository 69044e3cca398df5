import SerialTasksFenced
import Testing

/// Access that cannot be had, or is lost.
@Suite(.watched) struct FencedFailureTests {
  /// An engine that runs the turn so many times.
  private struct Grants: ExclusiveAccess {
    let count: UInt64

    nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      for number in 0..<count { try await turn(Fence(number: number + 1) {}) }
    }
  }

  /// Fails if: an engine that returns without granting makes its callers wait for ever, or one that runs the turn twice makes a job
  /// run under a grant that it does not know.
  @Test func anEngineThatGrantsNothingOrTwice() async throws {
    await #expect(throws: AccessError.notGranted) { try await Bank(access: Grants(count: 0)).number() }
    let bank = Bank(access: Grants(count: 2))
    for _ in 1...3 { #expect(try await bank.number() == 1) }
    try await bank.drain()
  }

  /// Fails if: a check leaves something behind with the closure that it calls, until a check overflows the stack.
  @Test func aHundredThousandChecks() async throws {
    try await SmallStack().start {
      let bank = Bank(access: Engine(), keepsAccessFor: .seconds(3_600))
      for _ in 0..<10 { try await bank.enqueue(for: "k") { fence in for _ in 0..<10_000 { try fence.check() } } }
      try await bank.drain()
    }.value
  }

  /// ```
  ///   a runs under 1 ── 1 is lost ── a sees it in check() ── b asks again, and runs under 2
  /// ```
  /// Fails if: the next job runs under a fence that is known to be lost.
  @Test func afterALossTheNextJobAsksAgain() async throws {
    let (engine, gate) = (Engine(), Gate())
    let bank = Bank(access: engine)
    let a = Task.immediate {
      try await bank.enqueue(for: "k") { fence in
        await gate.pass()
        try fence.check()
      }
    }
    await gate.waitForArrivals()
    let b = Task.immediate { try await bank.number() }
    engine.lose("k 1")
    gate.open()
    await #expect(throws: AccessError.self) { try await a.value }
    #expect(try await b.value == 2)
  }

  /// An engine whose grants are lost as soon as they are given.
  ///
  /// Fails if: the executor asks again and again, instead of saying so.
  @Test func aGrantThatIsLostAtOnce() async throws {
    let engine = Engine()
    engine.lose("k 1")
    let bank = Bank(access: engine)
    await #expect(throws: AccessError.lost(number: 1, reason: "the test says so")) { try await bank.number() }
    #expect(try await bank.number() == 2)
  }

  /// Cancels the task that holds access when its lease is over.
  private struct Expiring: ExclusiveAccess {
    let expiry = Gate()

    nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      // Safe because the task goes on until the other has ended.
      nonisolated(unsafe) let task = withUnsafeCurrentTask { $0! }
      let expiring = Task { [expiry] in
        await expiry.pass()
        task.cancel()
      }
      try await turn(Fence(number: 1) {})
      await expiring.value
    }
  }

  /// ```
  ///   a runs under 1 ── the engine cancels the turn, and the request ends ── a looks at its fence
  /// ```
  /// Fails if: the fence of a request that has come to its end passes for held.
  @Test func theFenceOfAnEndedRequestIsLost() async throws {
    let engine = Expiring()
    let bank = Bank(name: "ended", access: engine)
    try await bank.enqueue(for: "k") { fence in
      try fence.check()
      engine.expiry.open()
      try await until { !WaitReport.current.executors.contains { $0.name == "ended access[k]" } }
      #expect(throws: AccessError.lost(number: 1, reason: "it was released")) { try fence.check() }
    }
    try await bank.drain()
  }

  /// ```
  ///   one holds a, and asks for b ──► b's job waits for access ── granted: it asks for a ──► rejected
  /// ```
  /// Fails if: a job is rejected because of one that waits for access, or a cycle through one that has waited is not found.
  @Test func aCycleThroughAJobThatHasWaitedForAccess() async throws {
    let (gate, held) = (Gate(), Gate())
    let bank = Bank(name: "fenced", access: Engine(before: { if $0 == 2 { await gate.pass() } }))
    let callers = Callers(bank)
    let one = callers.call("one", for: "a") {
      await held.pass()
      _ = try await bank.number("b")
    }
    await held.waitForArrivals()
    let other = callers.call("other", for: "b") { _ = try await bank.number("a") }
    await gate.waitForArrivals()
    held.open()
    try await bank.waitUntil(waiting: 1, for: "b")
    gate.open()
    do {
      try await other.value
      Issue.record("a cycle was not found")
    } catch JobRejection.deadlock(let deadlock) { #expect(deadlock.path == ["fenced[a]", "fenced[b]", "fenced[a]"]) }
    try await one.value
  }

  private enum BankError: Error {
    case unavailable(FencedRejection)
    case noMoney
  }

  /// Fails if: what the engine throws, a rejection and the job's own error are not told apart.
  @Test func errorsAreTyped() async throws {
    let bank = Bank(access: Engine(before: { if $0 == 1 { throw EngineError(request: 1) } }))
    func outcome(_ job: (Fence) throws(BankError) -> Void = { _ in }) async -> String {
      do throws(BankError) {
        try await bank.enqueue(for: "k", rejectedAs: BankError.unavailable) { fence async throws(BankError) in
          try job(fence)
        }
        return "it ran"
      } catch {
        switch error {
        case .unavailable(.noAccess(let why)): return "no access, \(why)"
        case .unavailable(.rejected(let why)): return "rejected, \(why == .closed)"
        case .noMoney: return "no money"
        }
      }
    }
    #expect(await outcome() == "no access, EngineError(request: 1)")
    #expect(await outcome { _ throws(BankError) in throw .noMoney } == "no money")
    bank.close()
    #expect(await outcome() == "rejected, true")
  }
}
