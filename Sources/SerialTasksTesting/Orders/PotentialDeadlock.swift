import SerialTasks

/// A deadlock that could have happened: calls that would wait for each other for ever if they met.
///
/// ``potentialDeadlocks(recordingAtMost:_:)`` returns them. Printed, it is a few sentences: what each call held and asked for, that
/// nothing hung this time, and what to do.
///
/// If ``path`` is empty, it is no cycle, but says that the recorder has stopped, and why: then there may be cycles that it did
/// not see.
public struct PotentialDeadlock: Hashable, Sendable {
  /// A call of the cycle, as it was seen first.
  public struct Request: Hashable, Sendable {
    /// What its task held, by name and keys; `nil` if that was nothing: then the call stands in a line in front of the one before.
    public let held: String?
    /// The name of the job that held it.
    public let holder: String?
    /// What the call asked for, by name and keys.
    public let wanted: String
    /// The name of the job that it asked for.
    public let job: String?

    package init(held: String?, holder: String?, wanted: String, job: String?) {
      (self.held, self.holder, self.wanted, self.job) = (held, holder, wanted, job)
    }
  }

  /// The names around the cycle, from what the call that was seen first held, and back to it: `["notes", "audit", "notes"]`.
  public let path: [String]
  /// The calls, in the order of the path: each holds what the call before it asked for.
  public let requests: [Request]
  /// What else must be taken meanwhile: other jobs that hold the other slots.
  let others: [Request]
  /// Why the recorder has stopped, if that is what it says.
  let limit: String?

  package init(path: [String], requests: [Request], others: [Request] = []) {
    (self.path, self.requests, self.others, limit) = (path, requests, others, nil)
  }

  /// Says that the recorder has stopped.
  package init(stopped limit: String) { (path, requests, others, self.limit) = ([], [], [], limit) }
}

extension PotentialDeadlock: CustomStringConvertible {
  /// Sentences that say which call held what and asked for what, that nothing hung, and what to do.
  public var description: String {
    if let limit {
      return "Not everything was looked at: \(limit) So there may be potential deadlocks that are not reported."
    }
    var sentences = ["Potential deadlock: \(path.joined(separator: " → "))."]
    sentences.append(requests.map(\.sentence).joined(separator: "; ").withCapital + ".")
    if !others.isEmpty {
      sentences.append("The other slots may be held meanwhile: \(others.map(\.sentence).joined(separator: "; ")).")
    }
    sentences.append(
      """
      Nothing hung this time. When the calls meet, each waits for the next, and the one that closes the cycle is rejected as \
      a deadlock. Take these in the same order everywhere, or ask for the inner one when the outer turn has ended.
      """)
    return sentences.joined(separator: " ")
  }
}

extension PotentialDeadlock.Request {
  fileprivate var sentence: String {
    DeadlockRequest(held: held, holder: holder, wanted: wanted, job: job).sentence
  }
}
