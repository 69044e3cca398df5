import CoalescingTasks
import TestWatch
import Testing

/// A renewal that waits for its own value is rejected, however it came there.
@Suite(.watched) struct RenewingDeadlockTests {
  /// The value that its own renewal asks for.
  private final class Own: Sendable {
    private let value = Lock<RenewingValue<Int>?>(nil)
    func callAsFunction() -> RenewingValue<Int> { value.withLock { $0! } }
    func set(_ value: RenewingValue<Int>) { self.value.withLock { $0 = value } }
  }

  private func make(
    _ name: String? = "token", clock: ManualClock = ManualClock(),
    renew: @escaping @Sendable (RenewingValue<Int>, Int?) async throws -> Int
  ) -> RenewingValue<Int> {
    let own = Own()
    let value = RenewingValue<Int>(
      name: name, renewAhead: .seconds(10), joinWindow: .seconds(5), clock: clock,
      renew: { Renewed(try await renew(own(), $0), validFor: .seconds(60)) })
    own.set(value)
    return value
  }

  /// Fails if: a renewal that is too old to be joined starts one of its own value, which starts one, and so on.
  @Test func itsOwnValueAfterTheJoinWindow() async throws {
    let (clock, renewals) = (ManualClock(), Log<Int>())
    let token = make(clock: clock) { token, _ in
      renewals(1)
      clock.advance(by: .seconds(6))
      return renewals.entries.count > 3 ? 1 : try await token.value()
    }
    await expectCycle(["token", "token"]) { try await token.value() }
  }

  /// The refresh that is sent with the token that it refreshes.
  ///
  /// Fails if: a renewal is refused a value that is valid, or waits when its server rejects that.
  @Test func aValidValueIsReturnedToItsOwnRenewal() async throws {
    let clock = ManualClock()
    let answers = Log<Int>()
    let token = make(clock: clock) { token, old in
      guard old != nil else { return 1 }
      answers(try await token.value())
      do { answers(try await token.value(insteadOf: 1)) } catch JobRejection.deadlock { answers(-1) }
      return 2
    }
    #expect(try await token.value() == 1)
    #expect(try await token.value(insteadOf: 1) == 2)
    #expect(answers.entries == [1, -1])
  }

  /// Fails if: a renewal that a value from elsewhere has overtaken waits for itself in `drain()`. (Then this hangs.)
  @Test func anOvertakenRenewalThatDrains() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let token = make { token, _ in
      await gate.pass()
      do { try await token.drain() } catch JobRejection.deadlock { log("deadlock") }
      return 1
    }
    let caller = Task.immediate { try await token.value() }
    await gate.arrived()
    token.replace(with: Renewed(2, validFor: .seconds(60)))
    gate.open()
    try await until { !log.entries.isEmpty }
    #expect(log.entries == ["deadlock"])
    _ = await caller.result
  }
}
