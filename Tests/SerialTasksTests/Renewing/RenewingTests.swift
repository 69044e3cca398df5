import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// What is kept, for how long, who renews it, and what sessions and pauses do.
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

  /// There is nothing to wait for, and so nothing to leave.
  ///
  /// Fails if: a cancelled task is refused a valid value, or starts a renewal near its end.
  @Test func aCancelledCallerIsGivenAValidValue() async throws {
    let token = IssuedToken(renewAhead: 10)
    _ = try await token.value.value()
    for _ in 1...2 {
      let call = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await token.value.value()
      }
      #expect(try await call.value == 1)
      token.advance(by: 55)
    }
    #expect(token.issuer.calls == 1)
    #expect(token.value.snapshot.running == 0)
  }

  // MARK: - Clocks that jump, and validities of nothing

  /// A server may say that a token is good for no time at all.
  ///
  /// That is no reason to lose it, nor to stop the program.
  ///
  /// Fails if: callers that waited for such a value do not get it, or later callers do.
  @Test(arguments: [0, -1, -1_000_000]) func aValidityOfZeroOrBelow(seconds: Int) async throws {
    let token = IssuedToken(isHeld: true, renewAhead: 10)
    token.issuer.answers(validFor: .seconds(seconds))
    for round in 1...3 {
      let calls = (1...2).map { _ in token.asking() }
      token.issuer.answer(round)
      for call in calls { #expect(try await call.value == round) }
      #expect(token.value.snapshot == RenewingSnapshot())
    }
    #expect(token.issuer.given == [nil, 1, 2])
  }

  /// Fails if: a clock that was set back makes a value valid for as long again, or it is renewed more than once.
  @Test func aClockThatIsSetBack() async throws {
    let (clock, issuer) = (ManualClock(), Issuer())
    clock.advance(by: .seconds(1_000))
    let token = RenewingValue<Int>(clock: clock) { try await issuer.renew($0) }
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

  // MARK: - Signing in and logging out, and a pause after a failure

  let token = IssuedToken(isHeld: true)

  /// ```
  /// renewal   ├───────────────────────── returns 1, which is discarded
  /// caller    ├─ waits ─┤ 7
  ///           replace(7)
  /// ```
  /// Fails if: who waits does not get the value that was put in, it is not kept for its time, or an older renewal replaces it.
  @Test func whatIsPutInIsNewerThanWhatRuns() async throws {
    let waiting = token.asking()
    token.value.replace(with: Renewed(7, validFor: .seconds(60)))
    #expect(try await waiting.value == 7)
    #expect(token.value.snapshot == RenewingSnapshot(remaining: .seconds(60)))
    token.issuer.answer(1)
    try await token.value.drain()
    #expect(try await token.value.value() == 7)
    #expect(token.issuer.cancelled.isEmpty)
    // The next renewal is given it.
    token.advance(by: 61)
    let later = token.asking()
    token.issuer.answer(2)
    #expect(try await later.value == 2)
    #expect(token.issuer.given == [nil, 7])
  }

  /// Fails if: a value is put in after the end.
  @Test func aClosedValueTakesNothing() async throws {
    token.value.close()
    token.value.replace(with: Renewed(7, validFor: .seconds(60)))
    #expect(token.value.snapshot == RenewingSnapshot(isClosed: true))
    await #expect(throws: JobRejection.closed) { try await token.value.value() }
    await #expect(throws: JobRejection.closed) { try await token.value.value(insteadOf: 7) }
  }

  /// Fails if: a value that is valid is not returned during the pause, or one is renewed ahead of its end then.
  @Test func aValidValueIsReturnedDuringThePause() async throws {
    let clock = ManualClock()
    let calls = Log<Int>()
    let value = RenewingValue<Int>(renewAhead: .seconds(50), pauseAfterFailure: .seconds(20), clock: clock) {
      previous in
      calls(previous ?? 0)
      if previous != nil { throw BackendError(call: 2) }
      return Renewed(1, validFor: .seconds(60))
    }
    #expect(try await value.value() == 1)
    clock.advance(by: .seconds(20))
    #expect(try await value.value() == 1)
    try await value.drain()
    clock.advance(by: .seconds(19))
    #expect(try await value.value() == 1)
    try await value.drain()
    #expect(calls.entries == [0, 1])
    clock.advance(by: .seconds(1))
    #expect(try await value.value() == 1)
    try await value.drain()
    #expect(calls.entries == [0, 1, 1])
  }

  /// Fails if: the pause outlasts `clear()` or a value that is put in.
  @Test(arguments: [false, true]) func whatEndsThePause(isReplaced: Bool) async throws {
    let clock = ManualClock()
    let calls = Log<Int>()
    let value = RenewingValue<Int>(pauseAfterFailure: .seconds(20), clock: clock) { _ in
      calls(1)
      throw BackendError(call: calls.entries.count)
    }
    await #expect(throws: BackendError(call: 1)) { try await value.value() }
    if isReplaced { value.replace(with: Renewed(1, validFor: .zero)) } else { value.clear() }
    await #expect(throws: BackendError(call: 2)) { try await value.value() }
  }

  // MARK: - A renewal that asks for its own value

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
    await gate.arrived()
    token.replace(with: Renewed(2, validFor: .seconds(60)))
    gate.open()
    try await until { !log.entries.isEmpty }
    #expect(log.entries == ["deadlock"])
    _ = await caller.result
  }
}
