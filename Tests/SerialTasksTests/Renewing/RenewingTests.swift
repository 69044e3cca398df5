import SerialTasks
import Testing

/// What is kept, for how long, and who renews it.
@Suite(.watched) struct RenewingTests {
  /// Fails if: a caller that comes while a renewal runs starts another, or a value that is valid is renewed.
  @Test func callersShareOneRenewal() async throws {
    let token = IssuedToken(isHeld: true)
    let calls = (1...3).map { _ in token.asking() }
    #expect(token.value.snapshot == RenewingSnapshot(waiting: 3, running: 1))
    token.issuer.answer(1)
    for call in calls { #expect(try await call.value == 1) }
    token.advance(by: 59)
    #expect(try await token.value.value() == 1)
    #expect(token.value.snapshot == RenewingSnapshot(remaining: .seconds(1)))
    #expect(token.issuer.calls == 1)
  }

  /// Fails if: callers are resumed in another order than that in which they came.
  @Test func callersAreAnsweredInTheOrderInWhichTheyCame() async throws {
    let token = IssuedToken(isHeld: true)
    let thread = OneThread()
    let answers = Log<Int>()
    let callers = (0..<20).map { index in
      thread.start {
        _ = try await token.value.value()
        answers(index)
      }
    }
    try await thread.allHaveParked()
    token.issuer.answer(1)
    for caller in callers { try await caller.value }
    #expect(answers.entries == Array(0..<20))
  }

  /// At once: what was submitted to the main actor before cannot slip in.
  @Test @MainActor func aValidValueIsNoSuspension() async throws {
    let token = IssuedToken()
    _ = try await token.value.value()
    let log = Log<String>()
    let other = Task { @MainActor in log("other") }
    #expect(try await token.value.value() == 1)
    log("served")
    await other.value
    #expect(log.entries == ["served", "other"])
  }

  /// Fails if: a value is returned at the end of its validity, or a renewal is not given the value before.
  @Test func pastItsValidityItIsRenewed() async throws {
    let token = IssuedToken()
    #expect(try await token.value.value() == 1)
    token.advance(by: 60)
    #expect(token.value.snapshot == RenewingSnapshot())
    #expect(try await token.value.value() == 2)
    #expect(token.issuer.given == [nil, 1])
  }

  /// ```
  /// value 1   ├──────────── valid ──── ahead ┤
  /// callers                     1   1     2
  /// renewal                     ├───────┤ returns 2
  /// ```
  /// Fails if: a caller near the end of the validity waits, starts no renewal, or starts one beside another.
  @Test func nearItsEndItIsRenewedBehindACaller() async throws {
    let token = IssuedToken(isHeld: true, renewAhead: 10)
    let first = token.asking()
    token.issuer.answer(1)
    #expect(try await first.value == 1)
    token.advance(by: 49)
    #expect(try await token.value.value() == 1)
    #expect(token.value.snapshot.running == 0)
    token.advance(by: 1)
    for _ in 1...3 { #expect(try await token.value.value() == 1) }
    #expect(token.value.snapshot == RenewingSnapshot(running: 1, remaining: .seconds(10)))
    try await until { token.issuer.calls == 2 }
    token.issuer.answer(2)
    try await token.settled()
    #expect(try await token.value.value() == 2)
    #expect(token.issuer.given == [nil, 1])
  }

  /// Fails if: a value that expires while it is renewed ahead is renewed twice.
  @Test func whoComesTooLateJoinsTheRenewalAhead() async throws {
    let token = IssuedToken(isHeld: true, renewAhead: 10)
    let first = token.asking()
    token.issuer.answer(1)
    _ = try await first.value
    token.advance(by: 55)
    #expect(try await token.value.value() == 1)
    token.advance(by: 5)
    let late = token.asking()
    #expect(token.value.snapshot.waiting == 1)
    try await until { token.issuer.calls == 2 }
    token.issuer.answer(2)
    #expect(try await late.value == 2)
  }

  /// Half of them come while it is renewed, half after that.
  ///
  /// Fails if: a value that was rejected is renewed once more when it is not the newest any more.
  @Test func aHundredRejectionsRenewOnce() async throws {
    let token = IssuedToken(isHeld: true)
    let first = token.asking()
    token.issuer.answer(1)
    #expect(try await first.value == 1)
    let early = (1...50).map { _ in token.asking(insteadOf: 1) }
    #expect(token.value.snapshot.waiting == 50)
    token.issuer.answer(2)
    for call in early { #expect(try await call.value == 2) }
    for _ in 1...50 { #expect(try await token.value.value(insteadOf: 1) == 2) }
    #expect(token.issuer.calls == 2)
  }

  /// A rejection is the word of one caller.
  ///
  /// Fails if: others wait for a renewal while the value that they would get is valid.
  @Test func othersAreServedUntilTheRejectedValueIsRenewed() async throws {
    let token = IssuedToken(isHeld: true)
    let first = token.asking()
    token.issuer.answer(1)
    _ = try await first.value
    let refused = token.asking(insteadOf: 1)
    #expect(try await token.value.value() == 1)
    token.issuer.answer(2)
    #expect(try await refused.value == 2)
    #expect(try await token.value.value() == 2)
  }

  /// Fails if: a value that is both expired and not the rejected one is returned.
  @Test func aNewerValueThatHasExpiredIsRenewed() async throws {
    let token = IssuedToken()
    _ = try await token.value.value()
    token.advance(by: 60)
    #expect(try await token.value.value(insteadOf: 0) == 2)
  }

  /// Fails if: an error does not reach each caller, or is thrown to one who comes later.
  @Test func aFailureReachesThoseWhoWaitAndIsNotKept() async throws {
    let token = IssuedToken(isHeld: true)
    token.issuer.fails(1)
    let calls = (1...3).map { _ in token.asking() }
    token.issuer.answer(1)
    for call in calls { await #expect(throws: BackendError(call: 1)) { try await call.value } }
    let next = token.asking()
    token.issuer.answer(2)
    #expect(try await next.value == 2)
    #expect(token.issuer.given == [nil, nil])
  }

  /// Fails if: a failed renewal takes the value away before its time, or is not tried again.
  @Test func afterAFailureAValidValueIsReturned() async throws {
    let token = IssuedToken(isHeld: true, renewAhead: 10)
    token.issuer.fails(2)
    token.issuer.fails(3)
    let first = token.asking()
    token.issuer.answer(1)
    _ = try await first.value
    let refused = token.asking(insteadOf: 1)
    token.issuer.answer(2)
    await #expect(throws: BackendError(call: 2)) { try await refused.value }
    #expect(try await token.value.value() == 1)
    token.advance(by: 55)
    #expect(try await token.value.value() == 1)
    try await until { token.issuer.calls == 3 }
    token.issuer.answer(3)
    try await token.settled()
    #expect(try await token.value.value() == 1)
    try await until { token.issuer.calls == 4 }
    token.issuer.answer(4)
    try await token.settled()
    #expect(try await token.value.value() == 4)
    #expect(token.issuer.given == [nil, 1, 1, 1])
  }

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
}
