import CoalescingTasks

/// Reads around a write: equal ones merge, and none misses the write before it.
struct MergeAct: Act {
  let name = "merge"
  let title = "reads that merge around a write"
  /// The way under test.
  var executor: @Sendable (Player) -> Way = { player in
    let notes = CoalescingTaskExecutor<String>(name: "notes", clock: player, onEvent: player.note)
    return Way(running: { notes.snapshot.running }) { call, work in
      if call.isRead { return try await notes.read(call.label, name: call.name) { try await work() } }
      return try await notes.write(name: call.name) { try await work() }
    }
  }

  private static let calls = [
    Call(1, "read all", takes: 300, .read([])),
    Call(2, "read all", at: 50, takes: 300, .read([])),
    Call(3, "read 1", at: 50, takes: 200, .read(["1"])),
    Call(4, "read all", at: 100, takes: 300, .read([])),
    Call(5, "update 1", at: 150, takes: 250, .write(["1": .add(1)])),
    Call(6, "read 1", at: 200, takes: 200, .read(["1"])),
    Call(7, "read all", at: 200, takes: 300, .read([])),
    Call(8, "read 1", at: 250, takes: 200, .read(["1"])),
    Call(9, "read all", at: 300, takes: 300, .read([])),
  ]

  func play(on page: inout Page) async -> Bool {
    let plain = await Play.of(Self.calls, on: OverlapAct.notes) { _ in .plain }
    let merged = await Play.of(Self.calls, on: OverlapAct.notes, executor)
    page.text(
      """
      Many screens read the same notes, and one of them writes. A read that joins a running one saves a request. But a read \
      requested after a write must not join a read from before it.
      """)
    page.timeline([
      ("A plain actor", "await notes.all()", plain),
      ("CoalescingTaskExecutor", "notes.read(\"all\") { … }, notes.write { … }", merged),
    ])
    return page.verdict(
      without: plain.account(stored: "what is stored is wrong"),
      plain.mustFail + merged.mistakes() + merged.mustWork([1, 3, 5, 6, 7])
        + merged.untimely { !($0.isRead && $1.isRead) },
      """
      CoalescingTaskExecutor: eight reads make four requests. Every read requested after the write sees it: none of them joined \
      an earlier read.
      """)
  }
}
