import Etcd
import Foundation
import Servers

/// An etcd of one node, with its data in a folder of its own.
final class EtcdNode: Sendable {
  static let program = ServerProcess.find("etcd")

  let address: String
  private let listening: String
  private let options: [String]
  private let peer = "http://127.0.0.1:\(ServerProcess.freePort())"
  private let server = ServerProcess("etcd")

  /// Makes a node, with more options of etcd, such as those of TLS.
  init(isSecure: Bool = false, options: [String] = []) {
    let port = ServerProcess.freePort()
    address = isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    listening = "\(isSecure ? "https" : "http")://127.0.0.1:\(port)"
    self.options = options
  }

  /// Starts it, with what it knew before; it does not answer at once.
  func start() throws {
    try server.start(
      EtcdNode.program!,
      [
        "--data-dir", "\(server.folder)/data", "--listen-client-urls", listening, "--advertise-client-urls", address,
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=\(peer)",
        "--heartbeat-interval", "50", "--election-timeout", "500", "--logger", "zap", "--log-level", "error",
        "--auto-compaction-mode", "revision", "--auto-compaction-retention", "10000",
      ] + options)
  }

  /// Kills it; returns when it has ended.
  func stop() { server.stop() }

  /// Stops and continues it, as a machine that is out of breath.
  func freeze() { server.signal(SIGSTOP) }
  func thaw() { server.signal(SIGCONT) }

  func remove() { server.remove() }

  /// Makes it forget everything, as a cluster that is made anew.
  func forget() throws { try FileManager.default.removeItem(atPath: "\(server.folder)/data") }

  /// Starts a node, and ends it when the test has ended.
  static func with(
    _ node: EtcdNode = EtcdNode(), _ body: (EtcdNode) async throws -> Void
  ) async throws {
    try node.start()
    defer { node.remove() }
    try await body(node)
  }

  /// A client of this node, asked through others first.
  func client(
    _ limits: EtcdLimits = EtcdLimits(validity: .seconds(2), patience: .seconds(10)), before: [String] = [],
    _ change: (inout EtcdCluster) -> Void = { _ in }
  ) -> EtcdClient {
    var cluster = EtcdCluster((before + [address]).joined(separator: ","))!
    change(&cluster)
    return EtcdClient(cluster, limits: limits)
  }
}
