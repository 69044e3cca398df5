/// What a decision asks for, carried out after the unlock.
package struct RenewalEffects<Value: Sendable>: Sendable {
  /// Callers that go on, and operations to be cancelled.
  package internal(set) var common = Effects()
  /// The renewal of each caller that was withdrawn, which is reported first.
  package internal(set) var withdrawn: [UInt64] = []
  /// When each of these callers began to wait.
  var starts: [WaitStart] = []
  /// What was kept until now: the last reference may go with it, which is foreign code.
  private var gone: [any Sendable] = []

  mutating func forget(_ kept: inout (some Sendable)?) {
    if let kept = kept.take() { gone.append(kept) }
  }
}
