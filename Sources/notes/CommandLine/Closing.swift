/// What the program says at its end.
struct Closing {
  let panels: [Panel]
  /// How many acts were played, and of how many.
  let played, asked: Int
  let wasInterrupted: Bool

  /// A line for each panel, then where to go next; of an interrupted run how much of it was played.
  var lines: [String] {
    if wasInterrupted { return ["", "Interrupted: \(played) of \(Count.of(asked, "act")) played."] }
    let moods: [Panel.Mood] = panels.contains { $0.mood == .wrong } ? [.right, .warning, .wrong] : [.right, .warning]
    return ["", "In short"] + panels.map { "  \($0.mood.mark) \($0.title)" } + [""]
      + moods.map { "  \($0.mark) \($0.meaning)" } + Self.next
  }

  private static let next = [
    "", "Where to go next",
    "  swift run notes --html notes.html         the same as a page, with all times",
    "  swift run notes --example a-busy-screen   a script that comes with it; --script FILE plays yours",
    "  swift run notes --help                    everything it can do, and how a script is written",
    "  README.md                                 which type is for what, and how to use it in a package",
  ]
}
