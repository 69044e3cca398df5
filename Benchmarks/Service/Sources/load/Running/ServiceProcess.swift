import Foundation
import Servers
import Synchronization

/// The service, as a process of its own.
final class ServiceProcess: Sendable {
  struct NoStart: Error { let log: String }

  let url: String
  /// Where it tells about itself.
  let metricsURL: String
  private let process: Process
  private let log: String

  /// Starts it, and returns when it answers.
  init(_ arguments: [String], log: String) throws {
    process = Process()
    self.log = log
    let metricsPort = ServerProcess.freePort()
    metricsURL = "http://127.0.0.1:\(metricsPort)"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    let output = Pipe()
    // It stands beside this program.
    let own = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    process.executableURL = own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "service")
    process.arguments = arguments + ["--port", "0", "--metrics-port", "\(metricsPort)"]
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: log)
    try process.run()
    // One line, or the end of the process.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("listening on "), let port = Int(line.filter(\.isNumber)) else { throw NoStart(log: log) }
    url = "http://127.0.0.1:\(port)"
  }

  func terminate() { process.terminate() }
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Returns its exit status, or the signal that ended it.
  func end() async -> Int32 {
    while process.isRunning { try? await Task.sleep(for: .milliseconds(20)) }
    return process.terminationStatus
  }

  /// Returns when it has logged this text.
  func logged(_ text: String) async throws {
    while try !String(contentsOfFile: log, encoding: .utf8).contains(text) {
      guard process.isRunning else { throw NoStart(log: log) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// What it says of itself that should not be.
  func errors() throws -> [String] {
    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
      .filter { $0.contains(" error ") || $0.contains(" critical ") || $0.contains("Fatal error") }
  }

  deinit { if process.isRunning { kill() } }
}
