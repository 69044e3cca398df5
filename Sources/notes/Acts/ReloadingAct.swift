/// The five stories of a screen that loads, once without an owner and once with one.
struct ReloadingAct: Act {
  /// Whether a `Reloader` decides where it must; what is not owned must be found out.
  var isOwned = true
  /// How long to wait for what should be so in no time.
  var patience: Duration = .seconds(5)
  /// The time between two steps of a story.
  var pace: Duration = .milliseconds(60)

  private struct Played {
    let title: String
    let naive: [ReloadingScreen.Fetch]
    let owned: [ReloadingScreen.Fetch]
    let isRight: Bool
  }

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    var played: [Played] = []
    for story in ReloadingStory.all where !stage.interruption.isAsked { played.append(await play(story)) }
    let wrong = played.filter { !$0.isRight }
    let finding =
      wrong.isEmpty
      ? "Without an owner \(words(played.map(\.naive))); through Reloader \(words(played.map(\.owned)))."
      : "What went wrong: \(Count.list(wrong.map(\.title))) did not come to what it must."
    show(
      Panel(
        title: "Five stories of a screen that loads, without and with Reloader",
        introduction: """
          Without an owner every trigger fetches, and shows what it gets when it gets it. A Reloader decides by the reason: \
          join the load that runs, run once more after it, or take its place. What is no longer wanted is dropped.
          """,
        timeline: Timeline(rows: played.flatMap(rows), subject: "Fetch"), mood: wrong.isEmpty ? .right : .wrong,
        finding: finding, details: []))
  }

  private func play(_ story: ReloadingStory) async -> Played {
    let (naive, owned) = (await ReloadingScreen(isOwned: false), await ReloadingScreen(isOwned: isOwned))
    async let first: Void = naive.play(story, pace: pace, patience: patience)
    async let second: Void = owned.play(story, pace: pace, patience: isOwned ? patience : .zero)
    _ = await (first, second)
    let counts = (naive: await naive.count, owned: await owned.count)
    let isRight = counts.naive == story.steps.last?.naive && counts.owned == story.steps.last?.owned
    let isNewest = await owned.shown.last == owned.fetches.count
    return Played(
      title: story.title, naive: await naive.fetches, owned: await owned.fetches, isRight: isRight && isNewest)
  }
}

// MARK: - Words and rows

extension ReloadingAct {
  /// What a way came to, in numbers.
  private func words(_ fetches: [[ReloadingScreen.Fetch]]) -> String {
    let all = fetches.flatMap(\.self)
    let old = all.count { $0.fate == .appliedOverNewer }
    return """
      \(all.count) fetches were made and \(all.count { $0.fate != .dropped }) shown, \
      \(old == 0 ? "never an older answer over a newer one" : "\(Count.times(old)) an older answer over a newer one")
      """
  }

  private func rows(_ played: Played) -> [Timeline.Row] {
    let naive = played.naive.map { row($0, .unowned) }
    let owned = played.owned.map { row($0, .owned) }
    return (naive + owned).enumerated().map { index, row in
      var row = row
      if index == 0 { row.heading = played.title.capitalizedFirst }
      return row
    }
  }

  private func row(_ fetch: ReloadingScreen.Fetch, _ ink: Ink) -> Timeline.Row {
    let began = Seconds.of(fetch.began)
    let ended = fetch.ended.map(Seconds.of) ?? began
    let standing: Timeline.Standing =
      switch fetch.fate {
      case .applied: .noted("shown")
      case .appliedOverNewer: .wrong
      case .dropped: .noted("dropped")
      }
    return Timeline.Row(
      number: String(fetch.number), label: ink == .owned ? "Reloader" : "no owner", waiting: nil, running: ink,
      standing: standing, asked: began, started: began, finished: ended,
      details: """
        fetch \(fetch.number), \(ink.meaning) · began at \(Seconds.text(began)), answered at \(Seconds.text(ended))
        """)
  }
}
