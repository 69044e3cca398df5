import SerialTasks
import TestWatch
import Testing

/// Tasks that hold turns and wait for each other, told one step a line: who does what, and what comes of it.
///
/// | step | what happens |
/// |---|---|
/// | `one takes A` | it has the turn of A, and does its next steps in it |
/// | `one asks A` | it waits for A; with `✗ A → B → A` it is rejected, and that is the cycle |
/// | `one drains A`, `one pauses A`, `one shuts A within 9` | it waits for that; with `✓` it has not to |
/// | `one submits x to A`, `one awaits x` | the job is played by `x` |
/// | `one asks profiles(a) as x` | the operation, if there is none, is played by `x` |
/// | `one forks x`, `one cancels`, `one starts x` | a child task, an end for those that it has, and a task that is no child |
/// | `one ends` | what it does innermost ends |
/// | `one goes on`, `one goes on ✗ late`, `one goes on = led x` | what it waited for has come, or not, and what it was |
/// | `x checks`, `x checks ✗ cancelled` | whether it has been cancelled |
/// | `one waits` | it still does |
/// | `A reports one 5! [two 3]` | a `WaitReport` says so: who holds it how long, that this is too long, and who waits |
/// | `one: waiting -/-/1, began 2/-/-` | so it is reported: how long it waited and ran, and how many are ahead |
/// | `one is cancelled`, `A pauses`, `A resumes`, `A closes`, `A withdraws`, `9 seconds pass` | |
///
/// Who is named first by what it does is a task of its own. When all is told, everything resumes and ends; if a call waits for ever, the
/// test fails.
///
/// All of them run on one thread, so who waits has parked, and whatever follows from a step has followed.
actor Story {
  /// What the executors of a story are made with.
  struct Settings {
    /// Whether jobs have the names of who plays them.
    var isNamed = false
    var isHeard = false
    /// After how many seconds a turn is reported as too long.
    var turnLimit: Int?

    static let named = Settings(isNamed: true)
    static let heard = Settings(isNamed: true, isHeard: true)
  }

  init(_ settings: Settings = Settings()) { self.settings = settings }

  typealias Call = @Sendable (isolated Story, Player) async throws -> Void

  enum Command: Sendable { case does(Call), forks(Player), cancels, ends }

  private let executor = HeldExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let clock = ManualClock()
  nonisolated let settings: Settings
  nonisolated let events = Log<TaskEvent>()
  private nonisolated let players = Lock<[String: Player]>([:])
  private nonisolated let tasks = Lock<[Task<Void, Never>]>([])

  /// Does what it is told, until what it does innermost ends; returns whether its children are to be cancelled instead.
  @discardableResult
  func play(_ player: Player) async -> Bool {
    player.comes(by: 1)
    defer { player.comes(by: -1) }
    while true {
      switch await player.next() {
      case .ends: return false
      case .cancels: return true
      case .does(let call):
        do { try await call(self, player) } catch { player.fails(error) }
      case .forks(let child):
        await withTaskGroup { group in
          group.addTask { await self.play(child) }
          while await play(player) { group.cancelAll() }
        }
      }
    }
  }
}

/// Who plays in a story: a task, or a job that was submitted.
final class Player: Sendable {
  private struct State: Sendable {
    var command: CheckedContinuation<Story.Command, Never>?
    var isTaken = true
    var depth = 0
    var outcome = ""
    var value = ""
  }

  /// The handle of a job that it has submitted.
  struct Handle {
    let end: nonisolated(nonsending) @Sendable () async throws -> Void
    let cancel: @Sendable () -> Void
  }

  private let state = Lock(State())
  let task = Lock<Task<Void, Never>?>(nil)
  let handle = Lock<Handle?>(nil)

  /// Whether it waits for its next step.
  var isIdle: Bool { state.withLock { $0.command != nil } }
  /// Whether it has begun its last step.
  var hasTaken: Bool { state.withLock { $0.isTaken } }
  /// How many turns, operations and groups it is in.
  var depth: Int { state.withLock { $0.depth } }
  /// Why its last step failed.
  var outcome: String { state.withLock { $0.outcome } }

  /// What it was given last.
  var value: String { state.withLock { $0.value } }

  func gets(_ value: String) { state.withLock { $0.value = value } }

  func cancel() {
    task.withLock { $0?.cancel() }
    handle.withLock { $0?.cancel }?()
  }

  func comes(by depth: Int) { state.withLock { $0.depth += depth } }

  nonisolated(nonsending) func next() async -> Story.Command {
    let command = await withCheckedContinuation { continuation in state.withLock { $0.command = continuation } }
    state.withLock { $0.isTaken = true }
    return command
  }

  func does(_ command: Story.Command) {
    let waiting = state.withLock { state in
      defer { state.command = nil }
      (state.isTaken, state.outcome) = (false, "")
      return state.command
    }
    waiting?.resume(returning: command)
  }

  func fails(_ error: any Error) {
    let outcome =
      switch error {
      case JobRejection.deadlock(let deadlock): deadlock.path.map(Places.unprefixed).joined(separator: " → ")
      case let rejection as JobRejection: rejection.name
      case is CancellationError: "cancelled"
      default: "\(error)"
      }
    state.withLock { $0.outcome = outcome }
  }
}

// MARK: - Telling

extension Story {
  /// Tells a story, and then ends all that is in it.
  nonisolated(nonsending) func tell(_ steps: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    let places = Places(self)
    for step in steps.split(whereSeparator: { "\n;".contains($0) }) where step.contains(where: { $0 != " " }) {
      do { try await tell(step, places) } catch {
        Issue.record("\(step): \(error)", sourceLocation: sourceLocation)
        break
      }
    }
    do { try await end(places) } catch {
      Issue.record("not all end: \(error)", sourceLocation: sourceLocation)
      for task in tasks.withLock(\.self) { task.cancel() }
    }
  }

  private struct Wrong: Error, CustomStringConvertible { let description: String }

  nonisolated func player(_ name: String) -> Player {
    players.withLock { players in
      if let player = players[name] { return player }
      players[name] = Player()
      return players[name]!
    }
  }

  /// Begins a task that plays, if none does.
  private nonisolated func begin(_ name: String) -> Player {
    // Operations begin by themselves.
    let isOperation = ["load", "renewal", "login"].contains { name.hasPrefix($0) }
    if isOperation || players.withLock({ $0[name] != nil }) { return player(name) }
    let player = player(name)
    start(player)
    return player
  }

  nonisolated func start(_ player: Player) {
    let task = Task.immediate { _ = await self.play(player) }
    player.task.withLock { $0 = task }
    tasks.withLock { $0.append(task) }
  }

  /// Notes what ends when the story does.
  nonisolated func started(_ end: @escaping @Sendable () async throws -> Void) {
    tasks.withLock { $0.append(Task { try? await end() }) }
  }

  private nonisolated(nonsending) func tell(_ step: Substring, _ places: Places) async throws {
    let sides = step.split(whereSeparator: { "✗=".contains($0) }).map { $0.split(separator: " ").map(String.init) }
    let (words, end) = (sides[0], sides.count > 1 ? sides[1].joined(separator: " ") : "")
    let (failure, value) = step.contains("=") ? ("", end) : (end, nil)
    if words.count > 1, words[1] == "reports" { return try await expect(words, 2) { places.report(words[0]) } }
    if words[0].hasSuffix(":") { return try await expect(words, 1) { places.events(of: String(words[0].dropLast())) } }
    if words.count == 2, places.does(words) { return }
    if words.last == "pass" { return clock.advance(by: .seconds(Int(words[0])!)) }
    if words.dropFirst() == ["is", "cancelled"] { return player(words[0]).cancel() }
    let player = begin(words[0])
    if words[1] == "waits" {
      if await settled(player) { throw Wrong(description: "it does not wait, “\(player.outcome)”") }
      return
    }
    if words[1...] != ["goes", "on"] {
      try await until { player.isIdle }
      let depth = player.depth
      player.does(try places.command(words))
      if words[1] == "ends" { return try await until { player.hasTaken } }
      let isWait = ["asks", "awaits", "drains", "pauses", "shuts"].contains(words[1]) && words.last != "✓"
      if isWait, failure.isEmpty {
        try await until { player.hasTaken }
        if await settled(player) { throw Wrong(description: "it does not wait, “\(player.outcome)”") }
        return
      }
      try await until { player.isIdle }
      if player.depth - depth != (words[1] == "takes" || words[1] == "forks" ? 1 : 0), failure.isEmpty {
        throw Wrong(description: "“\(player.outcome)”")
      }
    }
    try await until { player.isIdle }
    if player.outcome != failure { throw Wrong(description: "“\(player.outcome)”") }
    if let value, player.value != value { throw Wrong(description: "it gets \(player.value)") }
  }

  /// Waits until what is found is what the words say, from the one of this index on.
  private nonisolated(nonsending) func expect(_ words: [String], _ index: Int, _ found: () -> String) async throws {
    let expected = words.dropFirst(index).joined(separator: " ")
    do { try await until { found() == expected } } catch { throw Wrong(description: found()) }
  }

  /// Returns whether it waits for its next step when nothing goes on.
  private nonisolated(nonsending) func settled(_ player: Player) async -> Bool {
    while executor.waiting > 0 { await Task.yield() }
    return player.isIdle
  }

  private nonisolated(nonsending) func end(_ places: Places) async throws {
    places.resumeAll()
    let (tasks, ended) = (tasks.withLock(\.self), Log<Void>())
    for task in tasks {
      Task.detached {
        await task.value
        ended(())
      }
    }
    try await until {
      for player in players.withLock({ Array($0.values) }) where player.isIdle { player.does(.ends) }
      return ended.entries.count == tasks.count
    }
  }
}
