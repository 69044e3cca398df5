import Foundation

@testable import notes

/// What a run of the program said.
final class Transcript {
  private(set) var output = ""
  private(set) var complaints = ""

  /// What was said on standard error, line by line, without how far the run has come: that is said every ten seconds too, and
  /// a machine may be that slow.
  var errors: [Substring] { complaints.split(separator: "\n").filter { !$0.contains(" calls played, ") } }

  /// Runs the program as `main` does, but for the process.
  ///
  /// - Parameters:
  ///   - arguments: What follows the program's name.
  ///   - isColoured: As if standard output were a terminal.
  /// - Returns: The status it would have ended with.
  func run(_ arguments: [String], isColoured: Bool = false) async -> Status {
    await Program(console: console(isColoured: isColoured)).run(arguments)
  }

  /// A console that writes here.
  func console(isColoured: Bool = false) -> Console {
    Console(
      width: 100, isColoured: isColoured, isWatched: false, write: { self.output += $0 },
      complain: { self.complaints += $0 })
  }
}

/// A folder of a test's own, which goes when the test does.
final class TemporaryFolder {
  let path = NSTemporaryDirectory() + "notes-test-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - name: Its name in the folder.
  ///   - text: What it holds.
  /// - Returns: Its path.
  /// - Throws: What the file system says.
  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
