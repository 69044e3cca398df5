/// Why etcd did not do what it was asked for.
package enum EtcdError: Error, Hashable, Sendable {
  /// No node has answered in time: they are down, or have no majority.
  case unavailable(path: String, last: String)
  /// A node has answered, and refused.
  case refused(path: String, message: String)
  /// The lease of this process was over before access was granted.
  case leaseEnded
}

extension EtcdError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unavailable(let path, let last): "etcd did not answer \(path) in time: \(last)"
    case .refused(let path, let message): "etcd refused \(path): \(message)"
    case .leaseEnded: "The lease ended before access was granted."
    }
  }
}
