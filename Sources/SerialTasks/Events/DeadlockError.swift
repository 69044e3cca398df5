/// The error of a call that would wait for itself for ever.
///
/// It is detected before the wait begins, or, for `drain(for:)` of a ``KeyedSerialTaskExecutor``, when a later job closes the
/// cycle.
public struct DeadlockError: Error, Hashable, Sendable {
  /// The names along the cycle.
  ///
  /// The path starts and ends with what the rejected call requested, and names everything between, including the caller's
  /// own chain: `["notes", "audit", "notes"]`.
  ///
  /// Anything without a name is shown as its type and a short identifier.
  public let path: [String]

  package init(path: [String]) { self.path = path }
}

extension DeadlockError: CustomStringConvertible {
  /// Sentences that say what waits for what, which call closed the cycle, and what to do about it.
  public var description: String {
    let asked = path.first ?? "?"
    var waits = ["This call waits for “\(asked)”"]
    for (holder, next) in zip(path, path.dropFirst()).dropLast() { waits.append("“\(holder)” waits for “\(next)”") }
    waits.append("and “\(path.dropLast().last ?? asked)” waits for this call.")
    var sentences = ["Deadlock: \(path.joined(separator: " → ")).", waits.joined(separator: "; ")]
    sentences.append(
      """
      It would never have returned, so it was rejected. Do the inner work directly instead of through \
      “\(asked)”, submit it without awaiting it here, or use executors and coalescers in the same order everywhere.
      """)
    return sentences.joined(separator: " ")
  }
}
