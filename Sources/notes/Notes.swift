import SerialTasksTesting

/// The demonstration: `swift run notes`.
@main enum Notes {
  static let acts: [any Act] = [OverlapAct(), MergeAct(), KeysAct(), LatestAct(), DeadlockAct(), ReloadAct()]

  static func main() async {
    let status = await run(
      Array(CommandLine.arguments.dropFirst()), acts: acts, paint: Paint(isOn: Terminal.isColoured),
      say: { print($0) }, complain: Terminal.complain)
    Terminal.end(status)
  }

  /// Runs the demonstration and returns the exit status.
  ///
  /// 0 if all acts succeeded, 1 if one failed, and 2 if an argument is wrong.
  static func run(
    _ arguments: [String], acts: [any Act], paint: Paint = Paint(isOn: false), say: @Sendable (String) -> Void,
    complain: @Sendable (String) -> Void = { _ in }
  ) async -> Int32 {
    let options: Options
    do throws(Options.Mistake) { options = try Options(arguments, acts: acts) } catch {
      complain("notes: \(error.sentence); see --help")
      return 2
    }
    if options.wantsHelp {
      say(Options.help(acts))
      return 0
    }
    if let isDark = options.isDark {
      var page = Page()
      let isRight = await options.acts[0].play(on: &page)
      let preference = "@media (prefers-color-scheme:dark)"
      say(Timeline(page.events).svg().replacing(preference, with: isDark ? "@media all" : "@media not all"))
      return isRight ? 0 : 1
    }
    if options.acts.count == acts.count { introduction(acts.count).forEach(say) }
    var closing: [String] = [""]
    var areAllRight = true
    for act in options.acts {
      var page = Page(paint: paint)
      page.title(act)
      let isRight = await act.play(on: &page)
      page.lines.forEach(say)
      closing.append("\(isRight ? paint("✓", .green) : paint("✗", .red)) \(act.name.padded(to: 9)) \(act.title)")
      areAllRight = areAllRight && isRight
    }
    if options.acts.count > 1 { closing.forEach(say) }
    if options.acts.count == acts.count { next.forEach(say) }
    return areAllRight ? 0 : 1
  }

  private static func introduction(_ count: Int) -> [String] {
    Terminal.wrap(
      """
      SerialTasks in \(count) acts. Most acts play the same calls twice: without the package, and through one of its types. \
      Each row is a call, from when it is made; below each chart stands what its signs mean. Time is virtual: gates \
      decide what happens next, nothing sleeps, and every run draws the same charts.
      """)
  }

  private static let next = [
    "", "Where to go next",
    "  swift run notes --act merge   a single act",
    "  Sources/notes/Acts            the calls of each act",
    "  README.md                     which type to use, and how",
  ]
}
