/// Screens that want the same profile, and how often the backend is asked for it.
struct CoalescingAct: Act {
  /// The desk that must coalesce, before its backend.
  var desk: @Sendable (Backend) -> any Desk = { CoalescingDesk(backend: $0) }
  /// How long to wait for what should be so in no time.
  var patience: Duration = .seconds(5)

  private let takes: Duration = .milliseconds(300)
  private let screens = ["home screen", "feed", "menu"]

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    for panel in [separate, together, prefetched, leaving] where !stage.interruption.isAsked { show(await panel()) }
  }
}

// MARK: - Panels

extension CoalescingAct {
  private func separate() async -> Panel {
    let scene = await Staging(takes: takes, patience: patience) { PlainDesk(backend: $0) }.together(screens)
    return panel(
      "Three screens want the profile at once, each from the backend",
      "A call takes the backend \(Seconds.text(takes)), and no screen knows that the others ask for the same.",
      scene, SceneVerdict.Must(calls: 3, sources: [.alone: 3]), mood: .warning, scene.separation)
  }

  private func together() async -> Panel {
    let scene = await Staging(takes: takes, patience: patience, desk: desk).together(screens)
    return panel(
      "The same screens, through TaskCoalescer",
      "The first caller leads: its operation runs. Those who come while it runs join its flight.",
      scene, SceneVerdict.Must(calls: 1, sources: [.led: 1, .joined: 2]), mood: .right, scene.sharing)
  }

  private func prefetched() async -> Panel {
    let scene = await Staging(takes: takes, patience: patience, desk: desk)
      .prefetch("list", pause: takes / 3, "profile screen")
    return panel(
      "A prefetch, and the screen that picks it up",
      "The list asks for what a tap on it will need. The answer is kept for one caller, and for so long as the list said.",
      scene, SceneVerdict.Must(calls: 1, sources: [.prefetched: 1]), mood: .right, scene.pickingUp)
  }

  private func leaving() async -> Panel {
    let scene = await Staging(takes: takes, patience: patience, desk: desk).leave(screens, after: takes * 2 / 5)
    return panel(
      "A screen that leaves while two stay",
      "The first of three is cancelled in the middle of the flight. Each caller waits for itself, the leader too.",
      scene, SceneVerdict.Must(calls: 1, sources: [.joined: 2]), mood: .right, scene.leaving)
  }

  private func panel(
    _ title: String, _ introduction: String, _ scene: Scene, _ must: SceneVerdict.Must, mood: Panel.Mood,
    _ sentence: String
  ) -> Panel {
    let verdict = SceneVerdict(scene, must: must)
    return Panel(
      title: title, introduction: introduction, timeline: Timeline(scene, verdict),
      mood: verdict.isRight ? mood : .wrong, finding: verdict.finding(sentence), details: scene.account)
  }
}
