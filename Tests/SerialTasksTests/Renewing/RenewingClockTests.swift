import CoalescingTasks
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
}
