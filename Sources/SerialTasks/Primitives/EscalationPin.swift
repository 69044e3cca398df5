/// Keeps the holder of a turn from ending while others raise its task's priority, or cancel it.
///
/// The task of a caller is only known by address (``TaskReference``), and raising or cancelling it runs code of its user's
/// (`withTaskPriorityEscalationHandler`, `onCancel`), which no lock may be held for. So the call that raises holds the pin
/// under the line's lock, raises outside it, and releases it; the holder hands its turn on without delay but does not return to
/// its caller, and so does not end, while the pin is held. A turn that is neither raised nor cancelled has no pin.
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

  /// Raises the task and releases the pin.
  package func escalate(to priority: UInt8) {
    task.escalate(to: priority)
    release()
  }

  /// Cancels the task and releases the pin.
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

  /// Returns when the pin is not held.
  ///
  /// Not inlined, for it is rarely needed and would lie in the frame of every caller that waits.
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
