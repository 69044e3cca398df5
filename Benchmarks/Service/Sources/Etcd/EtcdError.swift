/// Why etcd did not do what it was asked for.
package enum EtcdError: Error, Hashable, Sendable {
  /// No node has answered in time: they are down, cut off, or have no majority.
  case unavailable(call: String, last: String)
  /// A node has answered, and refused.
  ///
  /// If an earlier request of the call was not answered, that one may have been executed.
  case refused(call: String, message: String, mayBeDone: Bool = false)
  /// So many requests of this process are on their way that this one was not sent in time.
  case busy(call: String)
  /// The lease of this process was over before access was granted.
  case leaseEnded
  /// The engine has been ended, at the end of the process.
  case ended
}

extension EtcdError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unavailable(let call, let last): "etcd did not answer \(call) in time: \(last)"
    case .refused(let call, let message, _): "etcd refused \(call): \(message)"
    case .busy(let call): "too many requests to etcd are on their way: \(call) was not sent in time"
    case .leaseEnded: "The lease ended before access was granted."
    case .ended: "The engine has ended."
    }
  }
}

extension EtcdError {
  /// Whether etcd says that there is no such lease, or none any more.
  var isLeaseNotFound: Bool {
    if case .refused(_, let message, _) = self { message.contains("lease not found") } else { false }
  }

  /// Whether nothing was done for certain: it was refused, or never sent.
  var isUndone: Bool {
    switch self {
    case .refused(_, _, let mayBeDone): !mayBeDone
    case .busy: true
    case .unavailable, .leaseEnded, .ended: false
    }
  }
}
