/// A wait that would have waited for itself, found before it began.
public struct DeadlockError: Error, Hashable, Sendable {
  /// The cycle by name.
  ///
  /// It starts and ends with what the rejected call asked for and names everything between, the caller's
  /// own chain included: `["notes", "audit", "notes"]`.
  ///
  /// What has no name reads as its type and a short id.
  public let path: [String]

  package init(path: [String]) { self.path = path }
}

extension DeadlockError: CustomStringConvertible {
  /// What waits for what, and what to do, as sentences.
  public var description: String {
    let asked = path.last ?? "?"
    return """
      Deadlock: \(path.joined(separator: " → ")). This call would wait for “\(asked)”, and the job that makes it runs in a \
      turn of “\(asked)”, which ends only after the call. Do the inner work directly (the turn is yours already), submit it \
      without awaiting it here, or take the executors in one order everywhere.
      """
  }
}
