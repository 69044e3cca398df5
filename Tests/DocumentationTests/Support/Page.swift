import Foundation

/// A page of documentation, or a file of snippets, from this repository.
struct Page {
  let name: String
  let lines: [String]
  private let spacedLines: [String]

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  init(_ file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    self.init(name: file.lastPathComponent, lines: text.components(separatedBy: "\n"))
  }

  /// The files below a folder that end like this.
  static func all(in folder: String, _ ending: String) throws -> [Page] {
    let folder = root.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return try paths.filter { $0.hasSuffix(ending) }.sorted().map { try Page(folder.appending(path: $0)) }
  }

  /// What doc comments say, without the slashes.
  var docComments: Page {
    Page(
      name: name,
      lines: lines.map {
        let line = $0.drop { $0 == " " }
        return line.hasPrefix("///") ? String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)) : ""
      })
  }

  private init(name: String, lines: [String]) {
    self.name = name
    self.lines = lines
    spacedLines = lines.map(Self.spaced)
  }
}

// MARK: - Code

extension Page {
  /// The fenced blocks of one language, with the line each begins at.
  func blocks(of language: String) -> [(line: Int, code: [String])] {
    var blocks: [(line: Int, code: [String])] = []
    var open: (language: String, line: Int)?
    for (number, line) in lines.enumerated() {
      guard line.hasPrefix("```") else { continue }
      if let begun = open {
        if begun.language == language { blocks.append((begun.line + 2, Array(lines[(begun.line + 1)..<number]))) }
        open = nil
      } else {
        open = (String(line.dropFirst(3)), number)
      }
    }
    return blocks
  }

  /// Whether these lines stand in the page next to each other, however far they are indented.
  func contains(_ code: [String]) -> Bool {
    let wanted = Self.plain(code)
    let own = spacedLines
    guard let first = wanted.first, own.count >= wanted.count else { return false }
    return (0...(own.count - wanted.count)).contains { start in
      own[start].hasSuffix(first) && Self.plain(Array(own[start..<(start + wanted.count)])) == wanted
    }
  }

  /// Lines as they are compared: from the leftmost column.
  private static func plain(_ code: [String]) -> [String] {
    let code = code.map(spaced)
    let margin = code.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return code.map { String($0.dropFirst(margin)) }
  }

  /// A line with two spaces before a comment that follows code, however many there are, and none at its end.
  private static func spaced(_ line: String) -> String {
    guard let comment = line.range(of: " // "), line[..<comment.lowerBound].contains(where: { $0 != " " }) else {
      return trimmed(line[...])
    }
    return trimmed(line[..<comment.lowerBound]) + "  // " + trimmed(line[comment.upperBound...])
  }

  private static func trimmed(_ line: Substring) -> String { String(line.reversed().drop { $0 == " " }.reversed()) }
}
