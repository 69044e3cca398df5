/// The five stories of a screen that loads, once without an owner and once with one.
struct ReloadingAct: Act {
  /// Whether a `Reloader` decides where it must; what is not owned must be found out.
  var isOwned = true
  /// How long to wait for what should be so in no time.
  var patience: Duration = .seconds(5)

  private struct Played {
    let title: String
    let naive: ReloadingStory.Count
    let owned: ReloadingStory.Count
    /// What was shown last.
    let shown: (naive: Int?, owned: Int?)
    let isRight: Bool
  }

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    var played: [Played] = []
    for story in ReloadingStory.all { played.append(await play(story)) }
    let wrong = played.filter { !$0.isRight }
    let sum = { (which: (Played) -> Int) in played.map(which).reduce(0, +) }
    let finding =
      wrong.isEmpty
      ? """
      Without an owner \(sum { $0.naive.fetches }) fetches and \(sum { $0.naive.applications }) applications; \
      through Reloader \(sum { $0.owned.fetches }) and \(sum { $0.owned.applications }), and never an older answer on a newer.
      """
      : "What went wrong: \(Count.list(wrong.map(\.title))) did not come to what it must."
    show(
      Panel(
        title: "Five stories of a screen that loads, without an owner and through Reloader",
        introduction: "Without an owner every trigger fetches and applies. A Reloader decides by the reason's policy.",
        timeline: nil, mood: wrong.isEmpty ? .right : .wrong, finding: finding, details: played.map(words)))
  }

  private func play(_ story: ReloadingStory) async -> Played {
    let (naive, owned) = (await ReloadingScreen(isOwned: false), await ReloadingScreen(isOwned: isOwned))
    await naive.play(story, patience: patience)
    await owned.play(story, patience: isOwned ? patience : .zero)
    let (first, second) = (await naive.count, await owned.count)
    let shown = (naive: await naive.shown.last, owned: await owned.shown.last)
    let isRight = first == story.steps.last?.naive && second == story.steps.last?.owned
    let isNewest = shown.owned == second.fetches
    return Played(title: story.title, naive: first, owned: second, shown: shown, isRight: isRight && isNewest)
  }

  private func words(_ played: Played) -> String {
    """
    \(played.title): \(words(played.naive, shown: played.shown.naive)) without, \
    \(words(played.owned, shown: played.shown.owned)) through Reloader.
    """
  }

  private func words(_ count: ReloadingStory.Count, shown: Int?) -> String {
    let answer = shown.map { $0 == count.fetches ? "the newest is shown" : "an OLD one is shown" } ?? "nothing is shown"
    let fetches = count.fetches == 1 ? "1 fetch" : "\(count.fetches) fetches"
    return "\(fetches), \(Count.of(count.applications, "application")), \(answer)"
  }
}
