import Foundation

/// A number with its noun.
enum Count {
  static func of(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// “once”, “twice”, “3 times”.
  static func times(_ count: Int) -> String {
    switch count {
    case 0: "never"
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }

  /// “a”, “a and b”, “a, b and c”.
  static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) and \(last)"
  }
}

/// Times as people read them.
enum Seconds {
  static func of(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  static func text(_ duration: Duration) -> String { text(of(duration)) }

  static func text(_ seconds: Double) -> String {
    // What rounds to nothing is nothing.
    if seconds < 0.0005 { return "0 s" }
    return String(format: seconds < 0.095 ? "%.3f s" : seconds < 100 ? "%.2f s" : "%.0f s", seconds)
  }
}

/// Foreign text, made safe to print: it may come from a script and must not steer a terminal.
enum Printable {
  static func text(_ text: String) -> String {
    let safe = text.unicodeScalars.map { scalar -> Character in
      // Joiners are format characters too, and emoji and whole scripts need them.
      if scalar == "\u{200C}" || scalar == "\u{200D}" { return Character(scalar) }
      return switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
      default: Character(scalar)
      }
    }
    return String(safe)
  }

  /// Foreign text, made safe to print and no longer than so many characters.
  static func text(_ text: String, upTo count: Int) -> String {
    let safe = self.text(String(text.prefix(count + 1)))
    return safe.count > count ? "\(safe.prefix(count - 1))…" : safe
  }
}

extension String {
  /// With its first letter as at the beginning of a sentence.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
