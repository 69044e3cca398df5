import Foundation

/// A line of a script that cannot be played, and why.
struct LineProblem: Hashable {
  let line: Int
  let reason: String
}

/// Reads a script: one call a line, as JSON.
enum ScriptParser {
  /// The outcome of parsing: what can be played, or everything that is wrong.
  enum Outcome: Equatable {
    case calls([TimedCall])
    case problems([LineProblem])
  }

  /// The calls in the order of their places: by time, and at the same time by line.
  static func parse(_ data: Data) -> Outcome {
    var calls: [TimedCall] = []
    var problems: [LineProblem] = []
    for (index, bytes) in lines(of: data).enumerated() where !isSkipped(bytes) {
      let line = index + 1
      do throws(ScriptLine.Problem) {
        calls.append(try ScriptLine.parse(bytes, line: line))
      } catch { problems.append(LineProblem(line: line, reason: error.reason)) }
    }
    guard problems.isEmpty else { return .problems(problems) }
    // `sorted` keeps the order of equals, but does not promise it; the line number does.
    return .calls(calls.sorted { ($0.at, $0.line ?? 0) < ($1.at, $1.line ?? 0) })
  }

  private static func lines(of data: Data) -> [Data] {
    let byteOrderMark = Data([0xEF, 0xBB, 0xBF])
    let text = data.starts(with: byteOrderMark) ? data.dropFirst(3) : data
    return text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  /// Whether the line is blank or a comment.
  private static func isSkipped(_ bytes: Data) -> Bool {
    let blanks: [UInt8] = [0x20, 0x09, 0x0D]
    guard let first = bytes.first(where: { !blanks.contains($0) }) else { return true }
    return first == UInt8(ascii: "#")
  }
}
