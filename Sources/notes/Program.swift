/// The whole program but for the process around it, so that tests can run it.
struct Program {
  let console: Console
  /// A path for temporary files, which are gone at the end.
  var scratch = StoreOpening.freshTemporaryPath()
  var interruption = Interruption()

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
    let script = try script(options)
    let page: PageFile? = if let path = options.html { try PageFile(path, apartFrom: options) } else { nil }
    defer { StoreOpening.removeTemporary(scratch) }
    let stage = Stage(console: console, scratch: scratch, interruption: interruption)
    let acts = try acts(options, script) { () throws(Refusal) in
      guard let path = options.store else { return try StoreOpening.open("\(scratch)/store") }
      let store = try StoreOpening.open(path)
      console.say(["The notes are kept in \(store.folder.path)"])
      return store
    }
    let layout = TerminalPanel(width: console.width, paint: Paint(isColoured: console.isColoured))
    var panels: [Panel] = []
    var played = 0
    for (name, act) in acts where !interruption.isAsked {
      try await act.play(on: stage) { panel in
        let panel = name.map(panel.named) ?? panel
        panels.append(panel)
        console.say(layout.lines(panel))
      }
      if !interruption.isAsked { played += 1 }
    }
    let closing = Closing(panels: panels, played: played, asked: acts.count, wasInterrupted: interruption.isAsked)
    if script == nil, interruption.isAsked || options.acts.isEmpty { console.say(closing.lines) }
    if let page, !panels.isEmpty {
      try page.write(HTMLPage(panels: panels).text)
      console.say(["", "The timelines are in \(page.path)"])
    }
    let status = Panel.status(of: panels)
    return status == .right && interruption.isAsked ? .interrupted : status
  }

  /// The calls of the script that was asked for, if any was.
  private func script(_ options: Options) throws(Refusal) -> [TimedCall]? {
    if let example = options.example { return try ScriptFile.read(example) }
    return if let path = options.script { try ScriptFile.read(path) } else { nil }
  }

  /// Everything that is to be played; what keeps notes opens its store now.
  private func acts(
    _ options: Options, _ script: [TimedCall]?, store: () throws(Refusal) -> NoteStore
  ) throws(Refusal) -> [(name: ActName?, act: any Act)] {
    if let script { return [(nil, ScriptAct(calls: script, store: try store(), way: options.way))] }
    var acts: [(name: ActName?, act: any Act)] = []
    for name in options.actsToPlay { acts.append((name, try name.act(store: store))) }
    return acts
  }
}
