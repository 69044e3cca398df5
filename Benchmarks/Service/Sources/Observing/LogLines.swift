import Foundation

/// Standard error, on which each event is one line, whatever is in it.
///
/// What a client or a database has said may have line breaks, and what stands behind one would look like an event of its own.
package struct LogLines: TextOutputStream, Sendable {
  package init() {}

  package func write(_ event: String) {
    try? FileHandle.standardError.write(contentsOf: Data(LogLines.line(event).utf8))
  }

  /// Returns the event with its control and format characters escaped, but the line break at its end.
  package static func line(_ event: String) -> String {
    var line = ""
    for scalar in event.unicodeScalars.dropLast() {
      let isControl = [.control, .format, .lineSeparator, .paragraphSeparator].contains(
        scalar.properties.generalCategory)
      line += isControl ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return line + "\n"
  }
}
