import SerialTasks
import SerialTasksTesting

/// An editor that saves after every word, while a save takes longer than a word.
struct SavingAct: Act {
  /// Whether a newer save takes the place of an older one where it must.
  var isLatest = true

  private static let words = ["Buy", "oat", "milk", "and", "some", "bread"]
  private static let takes: Duration = .milliseconds(200)

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let every = await save(latest: false)
    show(
      panel(
        "An editor saves after every word, and every save is written",
        "A save takes \(Seconds.text(Self.takes)), a word less. In code: submitWrite(touching: [.note(id)]) { … }",
        every, mustRun: Self.words.indices.map(\.self), mood: .warning))
    if stage.interruption.isAsked { return }
    show(
      panel(
        "The same words, where a newer save takes the place of an older one",
        "A save that has not begun is replaced. In code: submitWrite(latest: .note(id), touching: [.note(id)]) { … }",
        await save(latest: isLatest), mustRun: [0, Self.words.count - 1], mood: .right))
  }

  /// Plays it; the first save goes on until all are asked for, so that the counts need no luck.
  private func save(latest: Bool) async -> [WriteLog.Entry] {
    let line = CoalescingTaskExecutor<Int>(name: "notes")
    let (log, allAsked) = (WriteLog(), Gate())
    for index in Self.words.indices {
      let number = log.ask("save “… \(Self.words[index])”")
      let job: @Sendable () async -> Void = { await log.run(number, taking: Self.takes, notBefore: allAsked) }
      if latest { line.submitWrite(latest: 1, touching: [1], job) } else { line.submitWrite(touching: [1], job) }
      // The demonstration is never cancelled, so it cannot throw.
      try? await Task.sleep(for: .milliseconds(30))
    }
    allAsked.open()
    try? await line.drain()
    return log.entries
  }

  private func panel(
    _ title: String, _ introduction: String, _ entries: [WriteLog.Entry], mustRun: [Int], mood: Panel.Mood
  ) -> Panel {
    let ran = entries.indices.filter { entries[$0].ended != nil }
    let length = Seconds.text(entries.compactMap(\.ended).max() ?? .zero)
    let sentence = """
      \(Count.of(entries.count, "save")) asked for, \(ran.count) written, the last of them last; the note was saved after \
      \(length).
      """
    return Panel(
      title: title, introduction: introduction, timeline: Timeline(entries), mood: ran == mustRun ? mood : .wrong,
      finding: ran == mustRun
        ? sentence : "What went wrong: saves \(Count.list(ran.map { String($0 + 1) })) were written.",
      details: [])
  }
}
