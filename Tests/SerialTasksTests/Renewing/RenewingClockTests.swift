import SerialTasks
import Testing

/// Clocks that jump, validities of nothing, and renewals that never return.
@Suite(.watched) struct RenewingClockTests {
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

  /// Fails if: a validity out of all reach is added to the time without a limit.
  @Test func aValidityForEver() async throws {
    let token = IssuedToken()
    token.issuer.answers(validFor: .seconds(Int64.max))
    _ = try await token.value.value()
    token.advance(by: 86_400 * 365)
    #expect(try await token.value.value() == 1)
  }

  /// Fails if: a clock that jumps past the end of a validity is not believed, or everybody renews.
  @Test func aClockThatJumpsAhead() async throws {
    let token = IssuedToken(isHeld: true, renewAhead: 10)
    let first = token.asking()
    token.issuer.answer(1)
    _ = try await first.value
    token.advance(by: 1_000_000)
    let calls = (1...3).map { _ in token.asking() }
    token.issuer.answer(2)
    for call in calls { #expect(try await call.value == 2) }
    #expect(token.issuer.calls == 2)
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

  /// ```
  /// stuck     ├─ renewal 1 ─────────────────────── 2 ┤
  /// in time       ├─ joins ─────────────────────── 2 ┤
  /// late                          ├─ renewal 2 ─── 2 ┤
  ///           │←──── join window ────→│
  /// ```
  /// Fails if: a renewal that is too old is joined, those who joined it in time wait for it though there is a newer value, or
  /// its value replaces the newer one.
  @Test func aRenewalThatNeverReturns() async throws {
    let token = IssuedToken(isHeld: true, joinWindow: 10)
    let stuck = token.asking()
    token.advance(by: 9)
    let inTime = token.asking()
    #expect(token.issuer.calls == 1)
    token.advance(by: 1)
    let late = token.asking()
    #expect(token.issuer.calls == 2)
    #expect(token.value.snapshot == RenewingSnapshot(waiting: 3, running: 2))
    token.issuer.answer(2)
    for call in [stuck, inTime, late] { #expect(try await call.value == 2) }
    #expect(token.value.snapshot == RenewingSnapshot(remaining: .seconds(60)))
    token.issuer.answer(1)
    try await token.events.first { $0.endsARenewal && $0.place == 1 }
    token.advance(by: 1)
    #expect(try await token.value.value() == 2)
    #expect(token.issuer.cancelled.isEmpty)
  }

  /// Fails if: an older renewal that returns first is discarded, or ends the newer one.
  @Test func anOlderRenewalThatReturnsFirst() async throws {
    let token = IssuedToken(isHeld: true, joinWindow: 10)
    let first = token.asking()
    token.advance(by: 10)
    let second = token.asking()
    token.issuer.answer(1)
    #expect(try await first.value == 1)
    #expect(try await token.value.value() == 1)
    token.issuer.answer(2)
    #expect(try await second.value == 2)
    #expect(try await token.value.value() == 2)
  }

  /// Fails if: the failure of a newer renewal reaches those who wait for an older one.
  @Test func aNewerRenewalThatFails() async throws {
    let token = IssuedToken(isHeld: true, joinWindow: 10)
    token.issuer.fails(2)
    let first = token.asking()
    token.advance(by: 10)
    let second = token.asking()
    token.issuer.answer(2)
    await #expect(throws: BackendError(call: 2)) { try await second.value }
    token.issuer.answer(1)
    #expect(try await first.value == 1)
  }
}
