import Foundation
import Synchronization

/// A program that a test starts, stops and pauses, with its data in a folder of its own.
package final class ServerProcess: Sendable {
  private let process = Mutex<Process?>(nil)
  package let folder: String

  package init(_ name: String) {
    folder = NSTemporaryDirectory() + "serial-tasks-\(name)-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Finds a program; `nil` if there is none.
  package static func find(_ name: String, in folders: [String] = []) -> String? {
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return (folders + path).map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts the program, which prints to these, or nowhere.
  package func start(
    _ program: String, _ arguments: [String], output: Pipe? = nil, errors: FileHandle? = nil
  ) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = errors ?? FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
  }

  package func signal(_ number: Int32) {
    if let process = process.withLock({ $0 }) { kill(process.processIdentifier, number) }
  }

  /// How many bytes of memory it has.
  package func memory() throws -> Int {
    guard let process = process.withLock({ $0 }) else { return 0 }
    let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)
    return Int(text.split(separator: " ")[1])! << 12
  }

  /// How long it has computed.
  package func processorTime() throws -> Duration {
    guard let process = process.withLock({ $0 }) else { return .zero }
    let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // Behind the name of the program; in hundredths of a second.
    let fields = text.split(separator: ")").last!.split(separator: " ")
    return .milliseconds(10 * (Int(fields[11])! + Int(fields[12])!))
  }

  /// Returns how it has ended by itself.
  package func end() async -> Int32? {
    guard let process = process.withLock({ $0 }) else { return nil }
    while process.isRunning { try? await Task.sleep(for: .milliseconds(20)) }
    return process.terminationStatus
  }

  /// Ends it; returns when it has ended.
  package func stop(_ number: Int32 = SIGKILL) {
    guard let running = process.withLock({ $0.take() }) else { return }
    // One that is stopped ends only by this.
    kill(running.processIdentifier, number)
    running.waitUntilExit()
  }

  package func remove() {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A port that was free a moment ago.
  package static func freePort() -> UInt16 {
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

  /// Runs a program to its end.
  @discardableResult
  package static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
