import Foundation
import Synchronization

/// An etcd of one node, with its data in a folder of its own.
final class EtcdNode: Sendable {
  static let program: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/etcd" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  let address: String
  private let peer: String
  private let folder: String
  private let process = Mutex<Process?>(nil)

  init() {
    address = "http://127.0.0.1:\(EtcdNode.freePort())"
    peer = "http://127.0.0.1:\(EtcdNode.freePort())"
    folder = NSTemporaryDirectory() + "serial-tasks-etcd-\(UUID().uuidString)"
  }

  /// Starts it, with what it knew before; it does not answer at once.
  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: EtcdNode.program!)
    process.arguments = [
      "--data-dir", folder, "--listen-client-urls", address, "--advertise-client-urls", address,
      "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=\(peer)",
      "--heartbeat-interval", "50", "--election-timeout", "500", "--logger", "zap", "--log-level", "error",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
  }

  /// Kills it; returns when it has ended.
  func stop() {
    let running = process.withLock { $0.take() }
    guard let running else { return }
    kill(running.processIdentifier, SIGKILL)
    running.waitUntilExit()
  }

  func remove() {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A port that was free a moment ago.
  private static func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(descriptor, address, length)
        _ = getsockname(descriptor, address, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
  }
}
