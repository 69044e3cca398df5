/// One thing that was shown, in the terminal and on the page alike.
struct Panel {
  /// What it came to.
  enum Mood {
    case right
    /// Wrong, and meant to show how it goes wrong.
    case warning
    /// Wrong where it must not be; the program ends with ``Status/wrong``.
    case wrong

    /// In one character.
    var mark: String {
      switch self {
      case .right: "✓"
      case .warning: "!"
      case .wrong: "✗"
      }
    }
  }

  var title: String
  let introduction: String
  let timeline: Timeline?
  let mood: Mood
  /// One sentence.
  let finding: String
  /// What there is to add, a line each.
  let details: [String]
}

extension Panel {
  /// The same with its number, from 1, before its title.
  func numbered(_ number: Int) -> Panel {
    var panel = self
    panel.title = "\(number). \(title)"
    return panel
  }

  /// How the program ends after these: only a warning is allowed to be wrong.
  static func status(of panels: [Panel]) -> Status { panels.contains { $0.mood == .wrong } ? .wrong : .right }
}
