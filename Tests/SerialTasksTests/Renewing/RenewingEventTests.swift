import CoalescingTasks
import Testing

/// What is reported to `onEvent` of renewals and their callers.
@Suite(.watched) struct RenewingEventTests {
  private func reported(_ token: IssuedToken) -> [String] { token.events.entries.map(\.description) }

  /// Fails if: a caller that is rejected or leaves is not reported, or twice, or its leaving is taken for the renewal's end.
  @Test func everyCallerWithoutAResultIsReportedOnce() async throws {
    let token = IssuedToken(isHeld: true)
    let (leaves, withdrawn) = (token.asking(), token.asking())
    leaves.cancel()
    _ = await leaves.result
    token.value.clear()
    withdrawn.cancel()
    _ = await withdrawn.result
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await token.value.value()
    }
    _ = await late.result
    token.issuer.answer(1)
    try await token.events.first { $0.endsARenewal && $0.place == 1 }
    #expect(
      reported(token) == [
        "token: renewal began", "token: renewal was joined",
        "token: a caller of renewal left: \(JobRejection.cancelled)",
        "token: a caller of renewal left: \(JobRejection.withdrawn)",
        "token: renewal was rejected: \(JobRejection.cancelled)", "token: renewal finished",
      ])
    #expect(token.events.entries.map(\.place) == [1, 1, 1, 1, nil, 1])
  }

  /// Fails if: an event is reported under the lock. (Then this hangs or traps.)
  @Test func onEventMayCallTheValue() async throws {
    let own = Log<RenewingValue<Int>>()
    let seen = Log<RenewingSnapshot>()
    let issuer = Issuer(isHeld: true)
    let token = RenewingValue<Int>(renew: { try await issuer.renew($0) }) { _ in
      for token in own.entries { seen(token.snapshot) }
    }
    own(token)
    let calls = (1...3).map { _ in Task.immediate { try await token.value() } }
    calls[0].cancel()
    token.clear()
    issuer.answer(1)
    for call in calls { _ = await call.result }
    try await until { seen.entries.count == 7 }
  }
}
