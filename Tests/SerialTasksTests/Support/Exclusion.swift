import SerialTasks

/// Notices if two are ever inside at once.
final class Exclusion: Sendable {
  private struct State: Sendable {
    var inside = 0
    var most = 0
    var entries = 0
  }

  private let state = Lock(State())

  func enter() {
    state.withLock {
      $0.inside += 1
      $0.entries += 1
      $0.most = max($0.most, $0.inside)
    }
  }

  func leave() { state.withLock { $0.inside -= 1 } }

  var inside: Int { state.withLock { $0.inside } }
  var most: Int { state.withLock { $0.most } }
  var entries: Int { state.withLock { $0.entries } }
}
