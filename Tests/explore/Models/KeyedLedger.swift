import SerialTasks

/// Keeps account of every job of an executor with keys: a ledger for each key, and what is done to all of them.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class KeyedLedger: @unchecked Sendable {
  static let keys = ["x", "y"]

  let world: World
  let executor: KeyedSerialTaskExecutor<String>
  let ledgers: [String: Ledger]

  init(_ world: World, capacity: Int? = nil) {
    let relay = Relay()
    let executor = KeyedSerialTaskExecutor<String>(name: "keys", capacityPerKey: capacity) {
      relay.ledger?.report($0)
    }
    self.world = world
    self.executor = executor
    ledgers = Dictionary(uniqueKeysWithValues: KeyedLedger.keys.map { ($0, Ledger(world, $0, of: executor)) })
    relay.ledger = self
    world.watch(executor, "the executor")
    world.watch(relay, "what the executor's lines hold")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  /// Safe for the same reason as the ledger.
  private final class Relay: @unchecked Sendable { weak var ledger: KeyedLedger? }

  subscript(key: String) -> Ledger { ledgers[key]! }

  /// In one order, or no schedule could be run again.
  private var all: [Ledger] { KeyedLedger.keys.map { self[$0] } }

  private func report(_ event: TaskEvent) {
    guard let key = KeyedLedger.keys.first(where: { event.executor == "keys[\($0)]" }) else {
      return world.expect(false, "events name the key", event.executor)
    }
    world.expect(
      self[key].entries.contains { $0.name == event.job }, "events name the job's own key", "\(event)")
    self[key].report(event)
  }
}

// MARK: - All keys at once

extension KeyedLedger {
  var isPaused: Bool { self["x"].isPaused }

  func pause() {
    world.note("all keys", "are paused")
    executor.pause()
    for ledger in all { ledger.isPaused = true }
  }

  func resume() {
    world.note("all keys", "are resumed")
    for ledger in all { ledger.isPaused = false }
    executor.resume()
  }

  func close() {
    world.note("all keys", "are closed")
    executor.close()
    for ledger in all { ledger.isClosed = true }
  }

  /// Clears the key, or all of them.
  func cancelAll(_ key: String? = nil) {
    world.note(key ?? "all keys", "is cleared")
    let cleared = key.map { [self[$0]] } ?? all
    let begun = cleared.map { $0.forbidAll() }
    if let key { executor.cancelAll(for: key) } else { executor.cancelAll() }
    for (ledger, names) in zip(cleared, begun) { for name in names { ledger.tellToStop(name) } }
  }

  /// Drains the key, or all of them, and checks that nothing is left of what was asked for before.
  func drain(_ name: String, _ key: String? = nil) async {
    let drained = key.map { [self[$0]] } ?? all
    let asked = drained.map(\.entries.count)
    let wasClosed = self["x"].isClosed
    world.note(name, "drains", key ?? "all keys")
    do {
      if let key { try await executor.drain(for: key) } else { try await executor.drain() }
    } catch {
      world.note(name, "leaves the drain")
      world.expect(error is CancellationError && Task.isCancelled, "drain throws only when its caller is cancelled")
      return
    }
    world.note(name, "has drained")
    for (ledger, asked) in zip(drained, asked) { ledger.checkDrained(asked) }
    if wasClosed { for ledger in drained { ledger.isOver = true } }
  }

  func check() {
    for ledger in all { ledger.check() }
    world.expect(executor.size.busy == 0, "an idle key costs nothing", "\(executor.size.busy) keys have a line")
  }
}
