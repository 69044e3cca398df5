import CoalescingTasks

/// Five triggers reload one screen: one owner decides, and no older answer replaces a newer one.
struct ReloadAct: Act {
  let name = "reload"
  let title = "a storm of reloads"
  /// The way under test, for a policy.
  var reloader: @Sendable (Player, SharingPolicy) -> Way = { player, policy in
    let screen = Reloader<Trigger, Answer>(
      name: "Reloader, .\(policy)", clock: player, load: { try await $0.load() }, apply: { player.show($0.by) },
      onEvent: player.note)
    return Way(isQuiet: { log in
      let now = screen.snapshot
      let atWork = now.reason.map { [$0.call.number] } ?? []
      return log.haveAllArrived && now.waiting == log.open && log.atWork == Set(atWork) && log.running == atWork.count
    }) { call, work in try await screen.reload(Trigger(call: call, policy: policy, load: work)) }
  }

  struct Trigger: ReloadReason, CustomStringConvertible {
    let call: Call
    let policy: SharingPolicy
    let load: @Sendable () async throws -> Answer

    var description: String { call.name }
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
      Way(isQuiet: Way.plain.isQuiet) { _, work in
        let answer = try await work()
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
    page.timeline([
      ("No owner", "screen.show(await api.load())", plain),
      ("Reloader, .supersede", "the newest load replaces the running one", superseding),
      ("Reloader, .rerun", "the running one is shown, then one more for all later calls", following),
    ])
    let shown = [superseding.shown, following.shown]
    let mistakes =
      superseding.mistakes() + following.mistakes()
      + (shown == [[5], [1, 5]] ? [] : ["the answers that were shown are \(shown), and not [[5], [1, 5]]"])
      + (plain.stale.isEmpty ? ["without an owner, nothing went wrong, and should have"] : [])
    return page.verdict(
      without: "No owner: \(plain.shown.count) answers are shown, \(plain.stale.count) of them over newer ones.",
      mistakes,
      """
      Reloader: with .supersede, only the newest answer is shown; with .rerun, two answers are; and never an older one over a \
      newer one. Each caller gets an answer that is shown.
      """)
  }
}
