import SerialTasks

/// Jobs of different keys overlap, jobs of one key run in order, and a job may have two keys.
struct KeysAct: Act {
  let name = "keys"
  let title = "accounts that do not wait for each other"
  /// The way under test.
  var executor: @Sendable (Player) -> Way = { player in
    let accounts = KeyedSerialTaskExecutor<String>(name: "accounts", clock: player, onEvent: player.note)
    return Way(running: { accounts.snapshot.running }) { call, work in
      try await accounts.enqueue(touching: call.keys, name: call.name) { try await work() }
    }
  }

  private static let accounts = Values(["ann": 10, "bob": 10, "cy": 10]) { "\($0) \($1)" }

  private static let calls = [
    Call(1, "ann +5", takes: 150, .write(["ann": .add(5)])),
    Call(2, "ann +5", takes: 150, .write(["ann": .add(5)])),
    Call(3, "bob +5", takes: 350, .write(["bob": .add(5)])),
    Call(4, "ann → bob 7", takes: 200, .write(["ann": .add(-7), "bob": .add(7)])),
    Call(5, "bob → ann 3", takes: 200, .write(["bob": .add(-3), "ann": .add(3)])),
    Call(6, "cy +5", takes: 250, .write(["cy": .add(5)])),
    Call(7, "cy +5", takes: 250, .write(["cy": .add(5)])),
  ]

  func play(on page: inout Page) async -> Bool {
    let plain = await Play.of(Self.calls, on: Self.accounts) { _ in .plain }
    let keyed = await Play.of(Self.calls, on: Self.accounts, executor)
    page.text(
      """
      Each call reads a balance, asks a server, and writes the balance back. Calls of one account must run in order; calls \
      of different accounts need not wait for each other. A transfer touches two accounts.
      """)
    page.timeline([
      ("A plain actor", "await bank.deposit(5, to: \"ann\")", plain),
      ("KeyedSerialTaskExecutor", "accounts.enqueue(touching: [\"ann\", \"bob\"]) { … }", keyed),
    ])
    return page.verdict(
      without: plain.account(stored: "money is lost"),
      plain.mustFail + keyed.mistakes() + keyed.untimely { !Set($0.keys).isDisjoint(with: $1.keys) },
      """
      KeyedSerialTaskExecutor: no money is lost. Calls of Ann, Bob and Cy overlap, and the calls of each run in order: \
      \(seconds(keyed.end)) instead of \(seconds(keyed.length)) in one line. Opposite transfers do not deadlock: a job takes \
      its places on all its keys in one step.
      """)
  }
}
