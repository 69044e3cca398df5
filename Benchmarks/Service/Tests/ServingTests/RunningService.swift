import Foundation
import Servers
import Testing

/// The service as a program, which stands beside the tests.
struct RunningService {
  struct NotRunning: Error { let log: String }

  let process = ServerProcess("service")
  private(set) var port = 0
  let metricsPort = ServerProcess.freePort()
  private let http = HTTPClient()
  var errors: String { "\(process.folder)/errors" }

  static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "service").path

  /// Starts it with a database of its own, and ends it when the closure has ended.
  static func with(
    _ options: [String] = [], descriptors: Int? = nil, _ body: (RunningService) async throws -> Void
  ) async throws {
    var (service, output) = (RunningService(), Pipe())
    defer { service.process.remove() }
    _ = FileManager.default.createFile(atPath: service.errors, contents: nil)
    let database = "\(service.process.folder)/bank.sqlite"
    let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
    try service.process.start(
      "/bin/bash",
      ["-c", limit + #"exec "$0" "$@""#, program, "--database", database, "--port", "0", "--metrics-port"]
        + ["\(service.metricsPort)"] + options,
      output: output, errors: FileHandle(forWritingAtPath: service.errors))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.filter(\.isNumber)) else {
      throw NotRunning(log: try String(contentsOfFile: service.errors, encoding: .utf8))
    }
    service.port = port
    try await body(service)
  }

  /// Expects that it does not start with this option, and does nothing before it says so.
  static func refuses(_ engine: [String], _ option: String) async throws {
    let process = ServerProcess("service")
    defer { process.remove() }
    try process.start(
      program,
      ["--database", "\(process.folder)/bank.sqlite", "--way", "fenced", "--port", "0"] + engine
        + option.split(separator: " ").map(String.init))
    // EX_USAGE.
    #expect(await process.end() == 64)
    #expect(try FileManager.default.contentsOfDirectory(atPath: process.folder) == [])
  }

  /// Asks it; `body` is JSON, and is posted.
  func ask(_ path: String, _ body: String? = nil) async throws -> HTTPClient.Answer {
    try await http.ask("http://127.0.0.1:\(port)/\(path)", body == nil ? "GET" : "POST", body.map { Data($0.utf8) })
  }

  /// Asks for a transfer, under a name of its own unless one is given.
  func transfer(
    _ id: String = "\(UUID())", from: String = "account-0", to: String = "account-1", amount: Int = 1
  ) async throws -> HTTPClient.Answer {
    try await ask("transfers", #"{"id":"\#(id)","from":"\#(from)","to":"\#(to)","amount":\#(amount)}"#)
  }

  func log() throws -> String { try String(contentsOfFile: errors, encoding: .utf8) }

  /// Asks for what it tells about itself.
  func look(_ path: String) async throws -> HTTPClient.Answer {
    try await http.ask("http://127.0.0.1:\(metricsPort)/\(path)")
  }
}
