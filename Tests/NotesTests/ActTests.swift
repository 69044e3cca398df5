import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

@testable import notes

/// The demonstration, and what each act says of a type that breaks what it shows.
@Suite(.watched) struct ActTests {
  /// Runs the program, and returns what it printed.
  private func printed(_ arguments: [String] = [], _ acts: [any Act] = Notes.acts, isColoured: Bool = false) async
    -> (status: Int32, lines: [String])
  {
    let lines = Log<String>()
    let status = await Notes.run(arguments, acts: acts, paint: Paint(isOn: isColoured), say: { lines($0) })
    return (status, lines.entries)
  }

  /// Fails if: an act does not come out right, or prints a line that is too long, a colour, or nothing.
  @Test func everyActComesOutRight() async {
    let (status, lines) = await printed()
    #expect(status == 0)
    #expect(lines.filter { $0.hasPrefix("✓ ") }.count == Notes.acts.count * 2)
    #expect(lines.filter { $0.count > 80 || $0.contains("\u{1B}") } == [])
    #expect(lines.contains { $0.contains("replaced by 3 save") } && lines.contains { $0.contains("▒▒") })
    #expect(lines.filter { $0.hasPrefix("── ") }.count == Notes.acts.count)
  }

  /// Fails if: what is drawn depends on how fast anything is.
  @Test func everyRunDrawsTheSame() async {
    let first = await printed().lines
    for _ in 1...20 { #expect(await printed().lines.difference(from: first).isEmpty) }
  }

  /// Fails if: something but colours is different in a terminal, or there are none.
  @Test func coloursAreColoursOnly() async {
    let (plain, coloured) = (await printed().lines, await printed(isColoured: true).lines)
    #expect(plain != coloured)
    #expect(coloured.map { $0.replacing(/\u{1B}\[[0-9]+m/, with: "") }.difference(from: plain).isEmpty)
  }

  /// Fails if: an act that goes wrong does not say so, or the status does not.
  @Test func whatGoesWrongIsTheStatus() async {
    let (status, lines) = await printed([], [OverlapAct(), KeysAct(executor: { _ in .plain })])
    #expect(status == 1)
    let marked = lines.filter { $0.hasPrefix("✗") || $0.hasPrefix("✓") }.map { $0.prefix(41) }
    #expect(marked.count == 4)
    #expect(marked[1] == "✗ This went wrong: in the end there is an")
    #expect(marked[2...].map { $0.prefix(9) } == ["✓ overlap", "✗ keys   "])
  }
}

// MARK: - Wrong doubles

/// Each is a type that breaks the promise which its act shows.
@Suite(.watched) struct WrongDoubleTests {
  /// Demands that an act does not come out right, and says why.
  private func expect(_ act: some Act, says why: String, _ place: SourceLocation = #_sourceLocation) async {
    var page = Page()
    #expect(await !act.play(on: &page), sourceLocation: place)
    let said = page.lines.drop { !$0.hasPrefix("✗ This went wrong") }.joined(separator: " ")
    #expect(said.contains(why), sourceLocation: place)
  }

  /// Calls are let into each other.
  ///
  /// Fails if: what a call found is not compared with what it finds in order.
  @Test func overlap() async {
    await expect(OverlapAct(executor: { _ in .plain }), says: "call 4 read all found 1 2 3;")
  }

  /// A write that touches nothing: reads join those from before it.
  ///
  /// Fails if: what a read found is not compared with what it finds in order.
  @Test func mergeAcrossAWrite() async {
    let act = MergeAct { player in
      let notes = CoalescingTaskExecutor<String>(clock: player, onEvent: player.note)
      return Way(running: { notes.snapshot.running }) { call, work in
        if call.isRead { return try await notes.read(call.label, name: call.name) { try await work() } }
        return try await notes.write(touching: [], name: call.name) { try await work() }
      }
    }
    await expect(act, says: "call 6 read 1 found 1;")
  }

  /// Nothing merges.
  ///
  /// Fails if: requests are not counted.
  @Test func mergeNothing() async {
    let act = MergeAct { player in
      let notes = CoalescingTaskExecutor<String>(clock: player, onEvent: player.note)
      return Way(running: { notes.snapshot.running }) { call, work in
        if call.isRead { return try await notes.read(call.name, name: call.name) { try await work() } }
        return try await notes.write(name: call.name) { try await work() }
      }
    }
    await expect(act, says: "did work are [1, 2, 3, 4, 5, 6, 7, 8, 9]")
  }

  /// A transfer takes one of its two accounts.
  ///
  /// Fails if: what is stored in the end is not compared.
  @Test func keysOfWhichOneIsTaken() async {
    let act = KeysAct { player in
      let accounts = KeyedSerialTaskExecutor<String>(onEvent: player.note)
      return Way(running: { accounts.snapshot.running }) { call, work in
        try await accounts.enqueue(for: call.keys[0], name: call.name) { try await work() }
      }
    }
    await expect(act, says: "in the end there is ann 16 bob 14 cy 20;")
  }

  /// One line for all accounts: nothing is lost, and all wait.
  ///
  /// Fails if: a call may begin later than it could.
  @Test func keysInOneLine() async {
    let act = KeysAct { player in
      let line = SerialTaskExecutor(onEvent: player.note)
      return Way(running: { line.snapshot.running }) { call, work in
        try await line.enqueue(name: call.name) { try await work() }
      }
    }
    await expect(act, says: "call 3 bob +5 began at 300 ms, and not at 0 ms")
  }

  /// Every save is written.
  ///
  /// Fails if: it does not matter which saves are written.
  @Test func everySave() async {
    let act = LatestAct { player in
      let notes = CoalescingTaskExecutor<String>(clock: player, onEvent: player.note)
      return Way(running: { notes.snapshot.running }) { call, work in
        try await notes.submitWrite(name: call.name) { try await work() }.value
      }
    }
    await expect(act, says: "did work are [1, 2, 3, 4, 5, 6]")
  }

  /// No turn is held, so nothing is rejected and no cycle is found.
  ///
  /// Fails if: a cycle need not be rejected, named or found.
  @Test func noDeadlock() async {
    let act = DeadlockAct { player in
      DeadlockAct.Lines(waiting: { 0 }) { _, job, body in
        player.note(TaskEvent(kind: .waiting, executor: "none", job: job))
        try await body()
      }
    }
    await expect(act, says: "not rejected; no error names the cycle; the cycle of those that do")
  }

  /// The first trigger is joined, whatever the policy.
  ///
  /// Fails if: it does not matter what is shown.
  @Test func reloadThatJoins() async {
    let joining = ReloadAct().reloader
    await expect(ReloadAct { player, _ in joining(player, .join) }, says: "that were shown are [[1], [1]], and not")
  }

  /// Fails if: a call that is never answered is waited for without end, or passes.
  @Test func aCallThatIsLost() async {
    let gate = Gate()
    let lost = Way(isQuiet: { _ in true }) { call, _ in
      await gate.pass()
      return Answer(by: call.number)
    }
    let play = await Player(patience: .zero).play([Call(1, "read", takes: 1, .read([]))], lost)
    #expect(play.mistakes() == ["the calls did not come to an end", "call 1 read has no answer"])
    gate.open()
  }
}
