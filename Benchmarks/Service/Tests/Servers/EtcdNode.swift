import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An etcd of one node, with its data in a folder of its own.
package final class EtcdNode: Sendable {
  package static let program = ServerProcess.find("etcd")

  package let address: String
  private let listening: String
  private let options: [String]
  private let peer = "http://127.0.0.1:\(ServerProcess.freePort())"
  private let server = ServerProcess("etcd")

  private var data: String { "\(server.folder)/data" }
  private var snapshot: String { "\(server.folder)/snapshot" }

  /// Makes a node, with more options of etcd, such as those of TLS.
  package init(isSecure: Bool = false, options: [String] = []) {
    let port = ServerProcess.freePort()
    address = isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    listening = "\(isSecure ? "https" : "http")://127.0.0.1:\(port)"
    self.options = options
  }

  /// Starts it, with what it knew before; it does not answer at once.
  package func start() throws {
    try server.start(
      EtcdNode.program!,
      [
        "--data-dir", data, "--listen-client-urls", listening, "--advertise-client-urls", address,
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=\(peer)",
        "--heartbeat-interval", "50", "--election-timeout", "500", "--logger", "zap", "--log-level", "error",
        "--auto-compaction-mode", "revision", "--auto-compaction-retention", "10000",
      ] + options)
  }

  /// Kills it; returns when it has ended.
  package func stop() { server.stop() }

  /// Stops and continues it, as a machine that is out of breath.
  package func freeze() { server.signal(SIGSTOP) }
  package func thaw() { server.signal(SIGCONT) }

  package func remove() { server.remove() }

  /// How many watches it keeps for its clients.
  package func watches() async throws -> Int {
    let (data, _) = try await URLSession.shared.data(from: URL(string: "\(address)/metrics")!)
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("etcd_debugging_mvcc_watcher_total ")
    }
    return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
  }

  /// Makes it forget everything, as a cluster that is made anew.
  package func forget() throws { try FileManager.default.removeItem(atPath: data) }

  /// Saves what it knows.
  package func saveSnapshot() throws { try control(["snapshot", "save", snapshot]) }

  /// Makes it know what it knew when the snapshot was saved, and nothing since, as an operator restores a cluster; it must be stopped.
  package func restoreSnapshot() throws {
    try forget()
    try control([
      "snapshot", "restore", snapshot, "--data-dir", data, "--initial-cluster", "default=\(peer)",
      "--initial-advertise-peer-urls", peer,
    ])
  }

  /// Runs a command of etcdctl; `input` is what it reads.
  package func control(_ arguments: [String], input: String = "") throws {
    let command = [ServerProcess.find("etcdctl")!, "--endpoints", address] + arguments
    let quoted = command.map { "'\($0)'" }.joined(separator: " ")
    let status = try ServerProcess.run("/bin/bash", ["-c", "printf '%s\\n' '\(input)' | \(quoted)"])
    if status != 0 { throw CocoaError(.executableLoad) }
  }

  /// Starts a node, and ends it when the test has ended.
  package static func with(
    _ node: EtcdNode = EtcdNode(), _ body: (EtcdNode) async throws -> Void
  ) async throws {
    try node.start()
    defer { node.remove() }
    try await body(node)
  }
}
