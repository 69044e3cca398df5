import Foundation

/// Reads a script from its file, or one that comes with the program.
enum ScriptFile {
  /// As many bad lines as help; more of them only push the first out of sight.
  private static let mostProblems = 20

  static func read(_ path: String) throws(Refusal) -> [TimedCall] { try calls(of: path, try content(path)) }

  static func read(_ example: Example) throws(Refusal) -> [TimedCall] {
    try calls(of: example.rawValue, Data(example.script.utf8))
  }

  private static func calls(of name: String, _ content: Data) throws(Refusal) -> [TimedCall] {
    switch ScriptParser.parse(content) {
    case .calls([]): throw Refusal(.badData, "the script \(name) has no calls")
    case .calls(let calls): return calls
    case .problems(let problems): throw refusal(of: name, problems)
    }
  }

  /// The path that stands for standard input.
  static let standardInput = "-"

  private static func content(_ path: String) throws(Refusal) -> Data {
    if path == standardInput {
      do { return try FileHandle.standardInput.readToEnd() ?? Data() } catch {
        throw Refusal(.noInput, "the script cannot be read from standard input: \(PlainReason.of(error))")
      }
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Refusal(.noInput, "the script \(path) does not exist")
    }
    if isFolder.boolValue { throw Refusal(.noInput, "the script \(path) is a folder") }
    do {
      // Through a handle and not `Data(contentsOf:)`, so that a pipe will do too.
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path, isDirectory: false))
      defer { try? handle.close() }
      return try handle.readToEnd() ?? Data()
    } catch { throw Refusal(.noInput, "the script \(path) cannot be read: \(PlainReason.of(error))") }
  }

  static func refusal(of path: String, _ problems: [LineProblem]) -> Refusal {
    var lines = problems.prefix(mostProblems).map { "\(path):\($0.line): \(Printable.text($0.reason))" }
    if problems.count > mostProblems { lines.append("… and \(problems.count - mostProblems) more bad lines") }
    lines.append("nothing was played: correct \(Count.of(problems.count, "line")) first")
    return Refusal(.badData, lines: lines)
  }
}
