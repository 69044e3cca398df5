import CoalescingTasks

/// Five triggers reload one screen: one owner decides, and no older answer replaces a newer one.
struct ReloadAct: Act {
  let name = "reload"
  let title = "a storm of reloads"
  /// The way under test, for a policy.
  var reloader: @Sendable (Player, ReloadPolicy) -> Way = { player, policy in
    let screen = Reloader<Trigger, Answer>(name: "screen") {
      await $0.load()
    } apply: {
      player.show($0.by)
    }
    return Way(isQuiet: { situation in
      let now = screen.snapshot
      return now.waiting == situation.open && now.reason.map { situation.atWork.contains($0.number) } ?? true
    }) { call, work in try await screen.reload(Trigger(number: call.number, policy: policy, load: work)) }
  }

  struct Trigger: ReloadReason {
    let number: Int
    let policy: ReloadPolicy
    let load: @Sendable () async -> Answer
  }

  private static let calls = [
    Call(1, "it appears", takes: 400, .read([])),
    Call(2, "the user pulls", at: 45, takes: 300, .read([])),
    Call(3, "a new filter", at: 90, takes: 100, .read([])),
    Call(4, "a push arrives", at: 135, takes: 350, .read([])),
    Call(5, "a new filter", at: 180, takes: 200, .read([])),
  ]

  /// Plays the storm; the answer to a trigger is the number of the load that answered it.
  private func storm(_ way: (Player) -> Way) async -> Play {
    let player = Player()
    return await player.play(Self.calls, way(player))
  }

  func play(on page: inout Page) async -> Bool {
    let plain = await storm { player in
      Way(waiting: { 0 }) { _, work in
        let answer = await work()
        player.show(answer.by)
        return answer
      }
    }
    let superseding = await storm { reloader($0, .supersede) }
    let following = await storm { reloader($0, .rerun) }
    page.text(
      """
      Five events in a row reload a screen, and the server answers in any order. Without an owner, each of them \
      loads, and shows its answer when it arrives.
      """)
    page.charts([
      Chart("No owner", "screen.show(await api.load())", plain) { fate($0, plain) },
      Chart("Reloader, .supersede", "the newest load replaces the running one", superseding) { fate($0, superseding) },
      Chart("Reloader, .rerun", "the running one is shown, then one more for all later calls", following) {
        fate($0, following)
      },
    ])
    let mistakes =
      superseding.mistakes() + superseding.mustShow([5]) + following.mistakes() + following.mustShow([1, 5])
      + (plain.stale.isEmpty ? ["without an owner, nothing went wrong, and should have"] : [])
    return page.verdict(
      without: "No owner: \(plain.shown.count) answers are shown, \(plain.stale.count) of them over newer ones.",
      mistakes,
      """
      Reloader: with .supersede, only the newest answer is shown; with .rerun, two answers are; and never an older one over a \
      newer one. Each caller gets an answer that is shown.
      """)
  }

  private func fate(_ entry: Log.Entry, _ play: Play) -> Chart.Remark {
    let number = entry.call.number
    if let newer = play.stale[number] { return Chart.Remark("", fault: "✗ shown over \(newer)") }
    if play.shown.contains(number) { return "shown" }
    guard let by = (try? entry.answer?.get())?.by else { return "" }
    return entry.began == nil ? "gets the answer of \(by)" : "dropped, gets that of \(by)"
  }
}

extension Play {
  /// The answers that were shown after a newer one, and the newest at that time.
  fileprivate var stale: [Int: Int] {
    var stale: [Int: Int] = [:]
    for (index, number) in shown.enumerated() {
      if let newest = shown[..<index].max(), newest > number { stale[number] = newest }
    }
    return stale
  }

  fileprivate func mustShow(_ numbers: [Int]) -> [String] {
    shown == numbers ? [] : ["the answers that were shown are \(shown), and not \(numbers)"]
  }
}
