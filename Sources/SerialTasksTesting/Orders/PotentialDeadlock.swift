import SerialTasks

/// A deadlock that could have happened: calls that would wait for each other forever if they overlapped.
///
/// ``potentialDeadlocks(recordingAtMost:_:)`` returns them. The description says what each call held and requested, and
/// what to do. A deadlock that did happen, for which a call was rejected, is described as its `DeadlockError` is.
///
/// If ``path`` is empty, there is no cycle: the recorder has stopped and may have missed some, and the description says why.
public struct PotentialDeadlock: Hashable, Sendable {
  /// A call of the cycle, as it was first seen.
  public struct Request: Hashable, Sendable {
    /// What its task held, by name and keys; `nil` if nothing: then the call is in a line ahead of the previous call.
    public let held: String?
    /// The name of the job that held it.
    public let holder: String?
    /// What the call requested, by name and keys.
    public let wanted: String
    /// The name of the job that it requested.
    public let job: String?

    package init(held: String?, holder: String?, wanted: String, job: String?) {
      (self.held, self.holder, self.wanted, self.job) = (held, holder, wanted, job)
    }
  }

  /// The names around the cycle, beginning and ending with what the first call held: `["notes", "audit", "notes"]`.
  public let path: [String]
  /// The calls in the order of the path: each holds what the previous call requested.
  public let requests: [Request]
  /// What other jobs must hold meanwhile: the other slots.
  let others: [Request]
  /// For a deadlock that did happen, or a recorder that has stopped.
  private let text: String?

  package init(path: [String], requests: [Request], others: [Request] = []) {
    (self.path, self.requests, self.others, text) = (path, requests, others, nil)
  }

  init(_ deadlock: DeadlockError) {
    path = deadlock.path
    requests = deadlock.requests.map { Request(held: $0.held, holder: $0.holder, wanted: $0.wanted, job: $0.job) }
    (others, text) = ([], deadlock.description)
  }

  package init(stopped limit: String) {
    (path, requests, others) = ([], [], [])
    text = "The search is incomplete: \(limit) There may be potential deadlocks that are not reported."
  }
}

extension PotentialDeadlock: CustomStringConvertible {
  /// What each call held and requested, that nothing hung, and what to do.
  public var description: String {
    if let text { return text }
    var sentences = ["Potential deadlock: \(path.joined(separator: " → "))."]
    sentences.append(requests.map(\.sentence).joined(separator: "; ").withCapital + ".")
    if !others.isEmpty {
      sentences.append("The other slots may be held meanwhile: \(others.map(\.sentence).joined(separator: "; ")).")
    }
    sentences.append(
      """
      Nothing hung this time. If the calls meet, each waits for the next, and the call that closes the cycle is rejected as \
      a deadlock. Take these in the same order everywhere, or request the inner one after the outer turn has ended.
      """)
    return sentences.joined(separator: " ")
  }
}

extension PotentialDeadlock.Request {
  fileprivate var sentence: String {
    DeadlockRequest(held: held, holder: holder, wanted: wanted, job: job).sentence
  }
}
