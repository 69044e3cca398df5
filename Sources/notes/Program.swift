/// The whole program but for the process around it, so that tests can run it.
struct Program {
  let console: Console

  func run(_ arguments: [String]) async -> Status {
    do throws(Refusal) {
      switch try Options.parse(arguments) {
      case .help:
        console.write(Help.text)
        return .right
      case .play(let options): return try await play(options)
      }
    } catch {
      for line in error.lines { console.complain("notes: \(line)\n") }
      return error.status
    }
  }

  /// Finds everything that could stop it first, then plays.
  private func play(_ options: Options) async throws(Refusal) -> Status {
    let script: [TimedCall]? = if let path = options.script { try ScriptFile.read(path) } else { nil }
    let page: PageFile? = if let path = options.html { try PageFile(path, apartFrom: options) } else { nil }
    let scratch = StoreOpening.freshTemporaryPath()
    let stage = Stage(
      console: console, store: try StoreOpening.open(options.store ?? "\(scratch)/store"), scratch: scratch)
    console.say(["The notes are kept in \(stage.store.folder.path)"])
    let layout = TerminalPanel(width: console.width, paint: Paint(isColoured: console.isColoured))
    var panels: [Panel] = []
    for act in Programme.acts(script: script) {
      try await act.play(on: stage) { panel in
        panels.append(panel)
        console.say(layout.lines(panel))
      }
    }
    if let page {
      try page.write(HTMLPage(panels: panels).text)
      console.say(["", "The timelines are in \(page.path)"])
    }
    return Panel.status(of: panels)
  }
}
