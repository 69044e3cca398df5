#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The terminal that the program writes to.
enum Terminal {
  /// The number of characters in a line.
  static let width = 80

  /// Whether standard output is a terminal that wants colors (no-color.org).
  static var isColoured: Bool { isatty(1) == 1 && wantsColours(noColor: variable("NO_COLOR"), term: variable("TERM")) }

  static func wantsColours(noColor: String?, term: String?) -> Bool { (noColor ?? "").isEmpty && term != "dumb" }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Writes to standard error.
  static func complain(_ line: String) { _ = "\(line)\n".withCString { write(2, $0, strlen($0)) } }

  /// Ends the process and flushes standard output.
  static func end(_ status: Int32) -> Never { exit(status) }

  /// Breaks a text at spaces.
  static func wrap(_ text: String, indent: Int = 0) -> [String] {
    let margin = String(repeating: " ", count: indent)
    return text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(margin + word)
      }
    }
  }
}

/// Adds colors to text, if enabled.
struct Paint {
  enum Colour: Int {
    case bold = 1, faint, red = 31, green, yellow, blue, cyan = 36
  }

  let isOn: Bool

  func callAsFunction(_ text: String, _ colour: Colour) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text, padded with spaces to this length.
  func padded(to length: Int) -> String { self + String(repeating: " ", count: Swift.max(0, length - count)) }
}

/// Milliseconds, formatted as seconds.
func seconds(_ milliseconds: Int) -> String {
  let hundredths = String(milliseconds % 1000 / 10)
  return "\(milliseconds / 1000).\(hundredths.count < 2 ? "0" : "")\(hundredths) s"
}
