import Synchronization

/// Something that is waited for and happens once.
final class Signal: Sendable {
  private enum State {
    case awaited([CheckedContinuation<Void, Never>])
    case given
  }

  private let state = Mutex(State.awaited([]))

  /// It happens; later calls change nothing.
  func give() {
    let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
      guard case .awaited(let waiting) = state else { return [] }
      state = .given
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when it has happened.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isGiven = state.withLock { state in
        guard case .awaited(let waiting) = state else { return true }
        state = .awaited(waiting + [continuation])
        return false
      }
      if isGiven { continuation.resume() }
    }
  }
}
