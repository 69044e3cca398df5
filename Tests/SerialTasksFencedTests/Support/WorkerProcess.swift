import Foundation
import Testing

/// A process of `Tests/fenced-worker`, which is built next to the tests.
final class WorkerProcess: Sendable {
  private let process: Process
  private let input = Pipe()
  let lines: AsyncStream<String>
  private let ended: AsyncStream<Int32>

  /// What `SERIALTASKS_LONG=1` makes ten times as much.
  static func size(_ short: Int) -> Int {
    ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1" ? 10 * short : short
  }

  init(_ arguments: String...) throws {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
    #else
      let tests = URL(filePath: CommandLine.arguments[0])
    #endif
    let process = Process()
    let output = Pipe()
    process.executableURL = tests.deletingLastPathComponent().appending(path: "fenced-worker")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    self.process = process
    self.lines = lines
    self.ended = ended
    try process.run()
    Thread.detachNewThread {
      var rest = Data()
      while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          line.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      line.finish()
    }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  func send(_ signal: Int32) { _ = kill(process.processIdentifier, signal) }

  /// Lets the holder go on.
  func writeLine() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  /// All lines that are still to come, once it has ended.
  func end() async -> (lines: [String], status: Int32) {
    var all: [String] = []
    for await line in lines { all.append(line) }
    var status: Int32 = -1
    for await code in ended { status = code }
    return (all, status)
  }

  /// The next lines; fewer if it ends before.
  func next(_ count: Int) async -> [String] {
    var some: [String] = []
    if count == 0 { return some }
    for await line in lines {
      some.append(line)
      if some.count == count { break }
    }
    return some
  }
}

/// A folder of a test, which is removed with it.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "serial-tasks-\(UInt64.random(in: 0...(.max)))"
    for name in ["locks", "store"] {
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var locks: String { "\(path)/locks" }
  var store: String { "\(path)/store" }
}
