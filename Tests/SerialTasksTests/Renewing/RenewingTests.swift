import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Where a renewal runs, a clock that is set back, and a renewal that asks for its own value; the rest is in `renewal-programs`.
@Suite(.watched) struct RenewingTests {
  private enum Request { @TaskLocal static var id = 0 }

  private actor Account {
    var renewals = 0

    func token() -> RenewingValue<Int> {
      RenewingValue { _ in
        self.preconditionIsolated()
        self.renewals += 1
        return Renewed(Request.id, validFor: .seconds(60))
      }
    }
  }

  /// Fails if: `renew` is wrapped in a closure that loses its isolation, or does not see its caller's task-locals.
  @Test func aRenewalRunsInItsClosuresIsolationWithItsCallersTaskLocals() async throws {
    let account = Account()
    let token = await account.token()
    #expect(try await Request.$id.withValue(7) { try await token.value() } == 7)
    #expect(await account.renewals == 1)
  }

  /// Fails if: a clock that was set back makes a value valid for as long again, or it is renewed more than once.
  @Test func aClockThatIsSetBack() async throws {
    let (clock, renewals) = (ManualClock(), Log<Void>())
    clock.advance(by: .seconds(1_000))
    let token = RenewingValue<Int>(clock: clock) { _ in Renewed(renewals.add(()) + 1, validFor: .seconds(60)) }
    #expect(try await token.value() == 1)
    clock.jump(by: .seconds(30))
    #expect(try await token.value() == 1)
    clock.jump(by: .seconds(-20))
    #expect(try await token.value() == 1, "by less than its age: it may still be valid")
    clock.jump(by: .seconds(-1_000))
    #expect(token.snapshot.remaining == nil)
    for _ in 1...3 { #expect(try await token.value() == 2, "the age of the first one is unknown") }
    clock.jump(by: .seconds(59))
    #expect(try await token.value() == 2)
    clock.jump(by: .seconds(1))
    #expect(try await token.value() == 3)
  }

  /// The value that its own renewal asks for.
  private final class Own: Sendable {
    private let value = Lock<RenewingValue<Int>?>(nil)
    func callAsFunction() -> RenewingValue<Int> { value.withLock { $0! } }
    func set(_ value: RenewingValue<Int>) { self.value.withLock { $0 = value } }
  }

  private func make(
    renew: @escaping @Sendable (RenewingValue<Int>, Int?) async throws -> Int
  ) -> RenewingValue<Int> {
    let own = Own()
    let value = RenewingValue<Int>(
      name: "token", clock: ManualClock(), renew: { Renewed(try await renew(own(), $0), validFor: .seconds(60)) })
    own.set(value)
    return value
  }

  /// The refresh that is sent with the token that it refreshes.
  ///
  /// Fails if: a renewal is refused a value that is valid, or waits when its server rejects that.
  @Test func aValidValueIsReturnedToItsOwnRenewal() async throws {
    let answers = Log<Int>()
    let token = make { token, old in
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
    await gate.waitForArrivals()
    token.replace(with: Renewed(2, validFor: .seconds(60)))
    gate.open()
    try await until { !log.entries.isEmpty }
    #expect(log.entries == ["deadlock"])
    _ = await caller.result
  }

  /// Fails if: a renewal that a value from elsewhere has overtaken is not cancelled with the others. (Then this hangs.)
  @Test(arguments: [false, true]) func anOvertakenRenewalIsCancelled(isShutDown: Bool) async throws {
    let (began, cancelled) = (Gate(), Gate())
    let token = make { _, _ in
      await withTaskCancellationHandler {
        began.open()
        await cancelled.pass()
      } onCancel: {
        cancelled.open()
      }
      return 1
    }
    let caller = Task.immediate { try await token.value() }
    await began.pass()
    token.replace(with: Renewed(2, validFor: .seconds(60)))
    #expect(try await caller.value == 2)
    if isShutDown {
      #expect(await !token.shutDown(within: .zero))
    } else {
      token.clear()
      try await token.drain()
    }
  }
}
