import Foundation

/// A process of an executable that is built next to the tests; killed, if it still runs, when no test has it any more.
package final class TestProcess: Sendable {
  private let process: Process
  private let input = Pipe()
  private let ended: AsyncStream<Int32>
  /// What it says on standard output, line by line, as it says it.
  package let lines: AsyncStream<String>

  /// Starts it.
  ///
  /// - Parameters:
  ///   - name: The executable's.
  ///   - arguments: What follows the program's name.
  ///   - environment: What it has besides that of the tests.
  /// - Throws: What the system says.
  package init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
    #else
      let tests = URL(filePath: CommandLine.arguments[0])
    #endif
    let process = Process()
    let output = Pipe()
    process.executableURL = tests.deletingLastPathComponent().appending(path: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    try process.run()
    self.process = process
    self.ended = ended
    self.lines = Self.lines(of: output)
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  package func send(_ signal: Int32) { _ = kill(process.processIdentifier, signal) }

  /// Writes to its standard input.
  package func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  package func closeInput() throws { try input.fileHandleForWriting.close() }

  /// The next lines; fewer if it ends before.
  package func next(_ count: Int) async -> [String] {
    var some: [String] = []
    if count == 0 { return some }
    for await line in lines {
      some.append(line)
      if some.count == count { break }
    }
    return some
  }

  /// All lines that are still to come, once it has ended.
  package func end() async -> (lines: [String], status: Int32) {
    var all: [String] = []
    for await line in lines { all.append(line) }
    var status: Int32 = -1
    for await code in ended { status = code }
    return (all, status)
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
