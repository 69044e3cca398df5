#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(ucrt)
  import ucrt
#endif

extension Timeline {
  /// Draws the chart as text.
  ///
  /// If there are more jobs than lines, those that did not simply run and end come first, and the others are counted.
  ///
  /// - Parameters:
  ///   - width: The number of columns, at least 40.
  ///   - lines: The maximum number of lines, at least 12.
  ///   - isASCII: Whether to use only ASCII; by default, if the locale of the process has another encoding than UTF-8.
  ///   - isColored: Whether to add the color codes of a terminal. No meaning depends on them.
  /// - Returns: The lines.
  public func text(width: Int = 80, lines: Int = 40, isASCII: Bool? = nil, isColored: Bool = false) -> String {
    let page = TimelinePage(self, width: max(width, 40), lines: max(lines, 12))
    let isASCII = isASCII ?? Self.isASCII { getenv($0).map { String(cString: $0) } }
    let others: [Character: String] = ["…": "~", "→": ">", "“": "\"", "”": "\"", "└": "`", "µ": "u"]
    return page.lines.map { line in
      var cells = [String](repeating: " ", count: page.width)
      for (column, _) in page.lines[0].texts where !line.tooltip.isEmpty { cells[column] = isASCII ? ":" : "┊" }
      for (ink, columns) in line.inks {
        let sign = isASCII ? ink.look.ascii : ink.look.sign
        for column in columns { cells[column] = isColored ? "\u{1B}[\(ink.look.color)m\(sign)\u{1B}[0m" : sign }
      }
      for (column, text) in line.texts {
        let signs = text.flatMap { sign in
          let known = isASCII && !sign.isASCII ? others[sign] ?? "?" : "\(sign)"
          return "\(sign)".columns > 1 ? [known, isASCII ? "?" : ""] : [known]
        }
        cells.replaceSubrange(column..<column + signs.count, with: signs)
      }
      while cells.last == " " { cells.removeLast() }
      return cells.joined()
    }.joined(separator: "\n")
  }

  static func isASCII(_ variable: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first { !$0.isEmpty }?.uppercased()
    return locale.map { !$0.contains("UTF-8") && !$0.contains("UTF8") } ?? false
  }
}
