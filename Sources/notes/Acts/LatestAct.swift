import CoalescingTasks

/// An editor that saves after each word: a newer save replaces a waiting one.
struct LatestAct: Act {
  let name = "latest"
  let title = "saves that replace each other"
  /// The way under test.
  var executor: @Sendable (Player) -> Way = { player in
    let notes = CoalescingTaskExecutor<String>(name: "notes", clock: player, onEvent: player.note)
    return Way(running: { notes.snapshot.running }) { call, work in
      try await notes.submitWrite(latest: "note", touching: ["note"], name: call.name) { try await work() }.value
    }
  }

  private static let words = ["Buy", "oat", "milk", "and", "some", "bread"]
  private static let note = Values([:]) { _, count in "“\(words.prefix(count).joined(separator: " "))”" }

  private static let calls = zip(1..., zip(words, [200, 300, 100, 350, 100, 150])).map { number, save in
    Call(
      number, "save “\(number > 1 ? "… " : "")\(save.0)”", at: 60 * (number - 1), takes: save.1,
      .write(["note": .set(number)]))
  }

  func play(on page: inout Page) async -> Bool {
    let plain = await Play.of(Self.calls, on: Self.note) { _ in .plain }
    let latest = await Play.of(Self.calls, on: Self.note, executor)
    page.text(
      """
      An editor saves the whole text after each word, and a save takes longer than a word. Only the newest text matters, and \
      it must be saved last.
      """)
    page.timeline([
      ("A plain actor", "await notes.save(text)", plain),
      ("CoalescingTaskExecutor", "notes.submitWrite(latest: id, touching: [id]) { … }", latest),
    ])
    return page.verdict(
      without: plain.account(stored: "an old text is stored over the newest"),
      plain.mustFail + latest.mistakes() + latest.mustWork([1, 4, 6]) + latest.untimely { _, _ in true },
      """
      CoalescingTaskExecutor: three saves instead of six, because a newer save replaces a waiting one. The newest text is \
      saved last, after \(seconds(latest.end)) instead of \(seconds(latest.length)), and the caller of a replaced save gets \
      the outcome of the newer one.
      """)
  }
}
