import SerialTasks
import TestWatch

/// Holds tasks until it is opened, and says when one has arrived.
final class Gate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var arrivals = 0
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  /// Arrives, and returns when the gate is open; not ended by cancellation.
  func pass() async {
    await withCheckedContinuation { continuation in
      let (reached, isOpen) = state.withLock { state in
        state.arrivals += 1
        let reached = state.watchers.filter { $0.count <= state.arrivals }.map(\.continuation)
        state.watchers.removeAll { $0.count <= state.arrivals }
        if !state.isOpen { state.held.append(continuation) }
        return (reached, state.isOpen)
      }
      for watcher in reached { watcher.resume() }
      if isOpen { continuation.resume() }
    }
  }

  /// How many have arrived.
  var arrivals: Int { state.withLock { $0.arrivals } }

  /// Lets everybody through, now and later.
  func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Returns when so many have arrived.
  func arrived(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrivals < count { state.watchers.append((count, continuation)) }
        return state.arrivals >= count
      }
      if isReached { continuation.resume() }
    }
  }
}

/// What happened, in the order in which it happened.
final class Log<Entry: Sendable>: Sendable {
  private let mutex = Lock<[Entry]>([])

  func callAsFunction(_ entry: Entry) { mutex.withLock { $0.append(entry) } }

  var entries: [Entry] { mutex.withLock { $0 } }
}

/// Returns when the condition holds, for what has no gate; throws when it must be feared that it never will.
nonisolated(nonsending) func until(
  file: StaticString = #fileID, line: Int = #line, _ condition: () -> Bool
) async throws {
  var patience = Patience(file: file, line: line)
  while !condition() {
    try Task.checkCancellation()
    try patience.lookAgain()
    await Task.yield()
  }
}
