import Foundation

/// The program as a process of its own, which is built next to the tests.
final class NotesProcess: Sendable {
  private let process: Process
  private let ended: AsyncStream<Int32>
  private let output: Task<String, Never>
  /// What it says on standard error, line by line, as it says it.
  let errors: AsyncStream<String>

  /// Starts it.
  ///
  /// - Parameters:
  ///   - arguments: What follows the program's name.
  ///   - temporary: The folder that it may leave nothing in.
  ///   - input: What it reads from standard input.
  /// - Throws: What the system says.
  init(_ arguments: [String], temporary: TemporaryFolder, input: String = "") throws {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
    #else
      let tests = URL(filePath: CommandLine.arguments[0])
    #endif
    let process = Process()
    let (output, errors, standardInput) = (Pipe(), Pipe(), Pipe())
    process.executableURL = tests.deletingLastPathComponent().appending(path: "notes")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.path]) { $1 }
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = standardInput
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    self.process = process
    self.ended = ended
    self.errors = Self.lines(of: errors)
    let lines = Self.lines(of: output)
    self.output = Task { await lines.reduce(into: "") { $0 += "\($1)\n" } }
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  func interrupt() { _ = kill(process.processIdentifier, SIGINT) }

  /// What it said on standard output, and its status, once it has ended.
  func end() async -> (output: String, status: Int32) {
    var status: Int32 = -1
    for await ended in ended { status = ended }
    return (await output.value, status)
  }

  private static func lines(of pipe: Pipe) -> AsyncStream<String> {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      var rest = Data()
      while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          line.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      line.finish()
    }
    return lines
  }
}
