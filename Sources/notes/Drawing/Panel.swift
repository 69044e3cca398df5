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
      case .warning: "○"
      case .wrong: "✗"
      }
    }

    /// What the mark means, for legends.
    var meaning: String {
      switch self {
      case .right: "as it must be"
      case .warning: "goes wrong, or costs more: shown to compare"
      case .wrong: "it must not be so: please report it"
      }
    }
  }

  var title: String
  let introduction: String
  var timeline: Timeline?
  var ring: Ring?
  let mood: Mood
  /// One sentence.
  let finding: String
  /// What there is to add, a line each.
  let details: [String]
}

extension Panel {
  /// This panel with the name of its act before its title.
  func named(_ act: ActName) -> Panel {
    var panel = self
    panel.title = "\(act.rawValue): \(title)"
    return panel
  }

  /// How the program ends after these: only a warning is allowed to be wrong.
  static func status(of panels: [Panel]) -> Status { panels.contains { $0.mood == .wrong } ? .wrong : .right }
}
