import SerialTasks

/// Lets a few tests run at a time, the others in the order in which they come.
///
/// Swift Testing begins all tests at once. Many of them yield until something has happened, and a thousand that do so take three
/// times as much processor time as eight at a time do.
package final class Slots: Sendable {
  package static let shared = Slots(8)

  @TaskLocal private static var inside: Slots?

  private struct State: Sendable {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Lock<State>

  package init(_ count: Int) { state = Lock(State(free: count)) }

  /// Runs a test when a slot is free, or at once inside one that has a slot: a suite in a suite may be watched twice.
  package nonisolated(nonsending) func run(_ test: () async throws -> Void) async throws {
    if Slots.inside === self { return try await test() }
    await withCheckedContinuation { take($0) }
    defer { giveBack() }
    try await Slots.$inside.withValue(self) { try await test() }
  }

  private func take(_ waiter: CheckedContinuation<Void, Never>) {
    let isFree = state.withLock { state in
      if state.free == 0 {
        state.waiting.append(waiter)
        return false
      }
      state.free -= 1
      return true
    }
    if isFree { waiter.resume() }
  }

  // Not inlined, as in `HangWatch`.
  @inline(never)
  private func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
