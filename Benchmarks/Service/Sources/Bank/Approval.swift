import CoalescingTasks

/// A made-up service elsewhere that approves transfers, for callers that have a token.
///
/// A token is good for a while. It is kept, and renewed once for all requests.
package struct Approval: Sendable {
  /// A transfer of this amount is looked at by a person, which takes a while.
  package static let reviewedAmount = 7_777

  private let token: RenewingValue<Token>
  private let latency: Duration
  private let review: Duration
  private let onReview: @Sendable (String) -> Void

  package init(
    latency: Duration, review: Duration = .seconds(2), onReview: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.latency = latency
    self.review = review
    self.onReview = onReview
    token = RenewingValue(name: "token", renewAhead: .seconds(1)) { old in
      try await Task.sleep(for: latency)
      return Renewed(Token(number: (old?.number ?? 0) + 1, end: .now + .seconds(5)), validFor: .seconds(5))
    }
  }

  func approve(_ transfer: Transfer) async throws {
    let first = try await token.value()
    if try await ask(transfer, first) { return }
    // Refused; if others were refused with the same token, they all wait for one renewal.
    _ = try await ask(transfer, try await token.value(insteadOf: first))
  }

  /// What the service does: a while passes, and a token that is too old is refused.
  private func ask(_ transfer: Transfer, _ token: Token) async throws -> Bool {
    let isReviewed = transfer.amount == Approval.reviewedAmount
    if isReviewed { onReview(transfer.id.text) }
    try await Task.sleep(for: isReviewed ? review : latency)
    return isReviewed || token.end > .now
  }
}

private struct Token: Sendable, Equatable {
  var number: Int
  var end: ContinuousClock.Instant
}
