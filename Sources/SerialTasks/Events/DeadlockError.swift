/// The cycle that a rejected call would have closed, detected before its wait began.
public struct DeadlockError: Error, Sendable {
  /// The names along the cycle, such as `["notes", "audit", "notes"]`.
  ///
  /// The path starts and ends with what the rejected call requested. Between are what the jobs in front of a call wait
  /// for, and the caller's own turns. Anything without a name is shown as its type and a short identifier.
  public var path: [String] { cycle.path }
  /// The rejected call first; each call holds what the previous one waits for.
  package var requests: [DeadlockRequest] { cycle.requests }
  /// One reference: every waiter has room for the error that rejects it.
  private let cycle: Cycle

  private final class Cycle: Sendable {
    let path: [String]
    let requests: [DeadlockRequest]

    init(_ path: [String], _ requests: [DeadlockRequest]) { (self.path, self.requests) = (path, requests) }
  }

  package init(path: [String], requests: [DeadlockRequest] = []) { cycle = Cycle(path, requests) }
}

extension DeadlockError: Hashable {
  /// Whether both paths are equal.
  public static func == (one: DeadlockError, other: DeadlockError) -> Bool { one.path == other.path }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension DeadlockError: CustomStringConvertible {
  /// What each job held and requested, and what to do about it.
  public var description: String {
    let asked = (path.first ?? "?").quoted
    var text = "Deadlock: " + path.joined(separator: " → ") + ". "
    if !requests.isEmpty { text += requests.map(\.sentence).joined(separator: "; ").withCapital + ". " }
    return text + "The call for " + asked + " would wait forever and was rejected. Do the inner work directly instead "
      + "of through " + asked + ", submit it without awaiting it here, or use executors and coalescers in the same "
      + "order everywhere."
  }
}

/// In words: `holder` held `held`, and requested `wanted` to run `job`.
package struct DeadlockRequest: Sendable {
  package let held: String?
  package let holder: String?
  package let wanted: String
  package let job: String?
  let between: ArraySlice<String>

  package init(held: String?, holder: String?, wanted: String, job: String?, between: ArraySlice<String> = []) {
    (self.held, self.holder, self.wanted, self.job, self.between) = (held, holder, wanted, job, between)
  }

  package var sentence: String {
    var asked = "requested " + wanted.quoted
    if let job { asked += " to run " + job.quoted }
    for name in between { asked += ", behind " + name.quoted }
    guard let held else { return "a call " + asked + ", and the previous one is queued behind it" }
    return (holder?.quoted ?? "a job") + " held " + held.quoted + " and " + asked
  }
}

extension String {
  @inline(never) fileprivate var quoted: String { "“" + self + "”" }

  @inline(never) package var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
