import Synchronization

/// The least that a task needs to wait until it is cancelled: no line, no neighbours.
package final class Parked: Sendable {
  private enum State {
    case coming, ended
    case waiting(UnsafeContinuation<Void, Never>)
  }

  private let state = Mutex(State.coming)

  package init() {}

  package nonisolated(nonsending) func untilCancelled() async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { next in
        let hasEnded = state.withLock { state in
          if case .ended = state { return true }
          state = .waiting(next)
          return false
        }
        if hasEnded { next.resume() }
      }
    } onCancel: {
      let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
        defer { state = .ended }
        return if case .waiting(let next) = state { next } else { nil }
      }
      next?.resume()
    }
  }
}
