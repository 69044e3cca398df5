import Dispatch
import Synchronization

/// Holds those who come until it is opened: tasks, or the thread of a dispatch queue.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var parked: [UnsafeContinuation<Void, Never>] = []
    var blocked = 0
  }

  private let state: Mutex<State>
  private let semaphore = DispatchSemaphore(value: 0)

  /// Has room for as many beforehand, so that its own memory is not counted as theirs.
  package init(room: Int = 1) {
    var state = State()
    state.parked.reserveCapacity(room)
    self.state = Mutex(state)
  }

  package var waiting: Int { state.withLock { $0.parked.count + $0.blocked } }

  package nonisolated(nonsending) func pass() async {
    await withUnsafeContinuation { next in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.parked.append(next) }
        return state.isOpen
      }
      if isOpen { next.resume() }
    }
  }

  /// Blocks its thread until the gate is opened, for code that cannot suspend.
  package func block() {
    let isOpen = state.withLock { state in
      if !state.isOpen { state.blocked += 1 }
      return state.isOpen
    }
    if !isOpen { semaphore.wait() }
  }

  package func open() {
    let (parked, blocked) = state.withLock { state in
      defer { (state.parked, state.blocked) = ([], 0) }
      state.isOpen = true
      return (state.parked, state.blocked)
    }
    for next in parked { next.resume() }
    for _ in 0..<blocked { semaphore.signal() }
  }
}
