/// Keeps the holder of a turn from ending while other code raises or cancels its task.
///
/// The task is only known by its address (``TaskReference``), and raising or cancelling it runs the user's code,
/// which must not run under a lock. So a call takes the pin under the line's lock, and releases it when it has raised
/// the task after the unlock. Meanwhile the holder may pass its turn on, but does not return.
@usableFromInline
package final class EscalationPin: Sendable {
  private struct State {
    var count = 0
    var holder: Suspension?
  }

  private let task: TaskReference
  private let state = Lock(State())

  package init(task: TaskReference) { self.task = task }

  package func hold() { state.withLock { $0.count += 1 } }

  package func escalate(to priority: UInt8) {
    task.escalate(to: priority)
    release()
  }

  package func cancel() {
    task.cancel()
    release()
  }

  private func release() {
    let holder = state.withLock { state -> Suspension? in
      state.count -= 1
      return state.count == 0 ? state.holder.take() : nil
    }
    holder?.resume()
  }

  /// Not inlined: it is rarely needed, and would enlarge each waiting caller's frame.
  @usableFromInline @inline(never)
  nonisolated(nonsending) func released() async {
    await Suspension.park { suspension in
      state.withLock { state in
        if state.count == 0 { return false }
        state.holder = suspension
        return true
      }
    }
  }
}
