import SerialTasks
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
    #expect(lines.filter { $0.count > Terminal.width || $0.contains("\u{1B}") } == [])
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
  private func isRight(_ act: some Act) async -> Bool {
    var page = Page()
    return await act.play(on: &page)
  }

  /// Calls are let into each other.
  ///
  /// Fails if: answers, the store and the moments of the calls are not compared.
  @Test func overlap() async { #expect(await !isRight(OverlapAct(executor: { _ in .plain }))) }

  /// A write that touches nothing: reads join those from before it.
  ///
  /// Fails if: the answers of reads are not compared.
  @Test func mergeAcrossAWrite() async {
    let act = MergeAct { player in
      let notes = CoalescingTaskExecutor<String>(onEvent: player.note)
      return Way(running: { notes.snapshot.running }) { call, work in
        if call.isRead { return try await notes.read(call.label, name: call.name) { await work() } }
        return try await notes.write(touching: [], name: call.name) { await work() }
      }
    }
    #expect(await !isRight(act))
  }

  /// Nothing merges.
  ///
  /// Fails if: requests are not counted.
  @Test func mergeNothing() async {
    let act = MergeAct { player in
      let notes = CoalescingTaskExecutor<String>(onEvent: player.note)
      return Way(running: { notes.snapshot.running }) { call, work in
        if call.isRead { return try await notes.read(call.name, name: call.name) { await work() } }
        return try await notes.write(name: call.name) { await work() }
      }
    }
    #expect(await !isRight(act))
  }

  /// A transfer takes one of its two accounts.
  ///
  /// Fails if: the balances and the moments of the calls are not compared.
  @Test func keysOfWhichOneIsTaken() async {
    let act = KeysAct { _ in
      let accounts = KeyedSerialTaskExecutor<String>()
      return Way(waiting: { accounts.snapshot.waiting }) { call, work in
        try await accounts.enqueue(for: call.keys[0]) { await work() }
      }
    }
    #expect(await !isRight(act))
  }

  /// One line for all accounts: nothing is lost, and all wait.
  ///
  /// Fails if: it does not count when calls begin.
  @Test func keysInOneLine() async {
    let act = KeysAct { _ in
      let line = SerialTaskExecutor()
      return Way(waiting: { line.snapshot.waiting }) { _, work in
        try await line.enqueue { await work() }
      }
    }
    #expect(await !isRight(act))
  }

  /// Every save is written.
  ///
  /// Fails if: it does not count which saves are.
  @Test func everySave() async {
    let act = LatestAct { player in
      let notes = CoalescingTaskExecutor<String>(onEvent: player.note)
      return Way(running: { notes.snapshot.running }) { call, work in
        try await notes.submitWrite(name: call.name) { await work() }.value
      }
    }
    #expect(await !isRight(act))
  }

  /// No turn is held, so nothing is rejected and no cycle is found.
  ///
  /// Fails if: a cycle that is not named comes out right.
  @Test func noDeadlock() async {
    let act = DeadlockAct { DeadlockAct.Lines(waiting: { 0 }) { _, _, body in try await body() } }
    #expect(await !isRight(act))
  }

  /// The first trigger is joined, whatever the policy.
  ///
  /// Fails if: it does not count what is shown.
  @Test func reloadThatJoins() async {
    let joining = ReloadAct().reloader
    #expect(await !isRight(ReloadAct { player, _ in joining(player, .join) }))
  }

  /// Fails if: a call that is never answered is waited for without end, or passes.
  @Test func aCallThatIsLost() async {
    let gate = Gate()
    let lost = Way(isQuiet: { _ in true }) { call, _ in
      await gate.pass()
      return Answer(by: call.number)
    }
    let play = await Player(patience: .zero).play([Call(1, "read", takes: 1, .read([]))], lost) {
      Answer(by: $0.number)
    }
    #expect(play.mistakes() == ["the calls did not come to an end", "call 1 read has no answer"])
    gate.open()
  }
}
