/// What waits for what in a circle, as it is drawn: what the terminal and the page have in common.
struct Ring: Equatable {
  struct Part: Equatable {
    /// What is held.
    let name: String
    /// The job that holds it, and asks for the next.
    let holder: String
  }

  /// The last asks for the first.
  let parts: [Part]

  /// Makes the picture of a path.
  ///
  /// - Parameters:
  ///   - path: The names around the ring, the first of them at the end again.
  ///   - holders: The jobs that hold these, in the same order.
  init(_ path: [String], holders: [String]) {
    parts = zip(path.dropLast(), holders).map { Part(name: $0, holder: $1) }
  }
}

extension Ring.Part {
  /// What stands on the way to the next.
  var words: String { "held by “\(Printable.text(holder))”, which asks for" }
}

// MARK: - In a terminal

extension Ring {
  /// The ring from the top to the bottom, and back at its left side.
  func lines(_ paint: Paint) -> [String] {
    parts.enumerated().flatMap { index, part in
      let (isFirst, isLast) = (index == 0, index == parts.count - 1)
      return [
        paint(isFirst ? "  ╭─▶ " : "  │   ", .faint) + paint(Printable.text(part.name), .bold),
        paint("  │     │  ", .faint) + part.words,
        paint(isLast ? "  ╰─────╯" : "  │     ▼", .faint),
      ]
    }
  }
}

// MARK: - On a page

extension Ring {
  var html: String {
    let items = parts.map {
      "<li><b>\(HTMLText.escaped($0.name))</b><span>\(HTMLText.escaped($0.words))</span></li>"
    }
    return "<ol class=\"ring\">\n\(items.joined(separator: "\n"))\n</ol>"
  }
}
