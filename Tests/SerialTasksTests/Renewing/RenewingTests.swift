import CoalescingTasks
import Testing

/// What is kept, for how long, and who renews it.
@Suite(.watched) struct RenewingTests {
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

  /// Fails if: a value that is both expired and not the rejected one is returned.
  @Test func aNewerValueThatHasExpiredIsRenewed() async throws {
    let token = IssuedToken()
    _ = try await token.value.value()
    token.advance(by: 60)
    #expect(try await token.value.value(insteadOf: 0) == 2)
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
