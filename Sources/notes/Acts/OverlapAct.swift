import SerialTasks

/// Seven calls at the same moment: in an actor they overlap, in a line they do not.
struct OverlapAct: Act {
  let name = "overlap"
  let title = "seven calls at the same moment"
  /// The way under test.
  var executor: @Sendable (Player) -> Way = { player in
    let line = SerialTaskExecutor(name: "SerialTaskExecutor", clock: player, onEvent: player.note)
    return Way(running: { line.snapshot.running }) { call, work in
      try await line.enqueue(name: call.name) { try await work() }
    }
  }

  static let notes = Values(["1": 1, "2": 1, "3": 1]) { note, edits in
    note + String(repeating: "+", count: edits - 1)
  }

  private static let calls = [
    Call(1, "read all", takes: 300, .read([])),
    Call(2, "read 1", takes: 100, .read(["1"])),
    Call(3, "add 4", takes: 250, .write(["4": .set(1)])),
    Call(4, "read all", takes: 200, .read([])),
    Call(5, "update 1", takes: 400, .write(["1": .add(1)])),
    Call(6, "read all", takes: 150, .read([])),
    Call(7, "delete 1", takes: 220, .write(["1": .set(nil)])),
  ]

  func play(on page: inout Page) async -> Bool {
    let plain = await Play.of(Self.calls, on: Self.notes) { _ in .plain }
    let line = await Play.of(Self.calls, on: Self.notes, executor)
    page.text(
      """
      An actor protects its state between two awaits, not across them. At each await, other calls can run, and their \
      work overlaps. The notes are 1, 2 and 3; 1+ is note 1, updated.
      """)
    page.timeline([
      ("A plain actor", "await notes.update(1)", plain),
      ("SerialTaskExecutor", "try await line.enqueue { await notes.update(1) }", line),
    ])
    return page.verdict(
      without: plain.account(stored: "a deleted note is back"),
      plain.mustFail + line.mistakes() + line.untimely { _, _ in true },
      """
      SerialTaskExecutor: each call begins when the previous one has ended, whatever it awaits. All answers are right, and \
      note 1, which was deleted last, stays deleted.
      """)
  }
}
