import Foundation

/// Where the program says things, and what it may assume of the reader.
struct Console {
  /// Characters in a line.
  let width: Int
  let isColoured: Bool
  /// Whether what goes to standard error is watched, so that a line of it may replace the one before.
  let isWatched: Bool
  /// Writes to standard output.
  let write: (String) -> Void
  /// Writes to standard error.
  let complain: (String) -> Void

  func say(_ lines: [String]) { write(lines.map { $0 + "\n" }.joined()) }
}

extension Console {
  static var standard: Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    return Console(
      width: isTerminal ? min(max(columns ?? 80, 60), 120) : 100,
      isColoured: isTerminal && wantsColour(ProcessInfo.processInfo.environment),
      isWatched: isatty(STDERR_FILENO) == 1,
      write: { FileHandle.standardOutput.write(Data($0.utf8)) },
      complain: { FileHandle.standardError.write(Data($0.utf8)) })
  }

  /// See no-color.org: any value but none says no.
  static func wantsColour(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  private static var columns: Int? {
    var size = winsize()
    let answer = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }
}
