import SerialTasks
import Synchronization

/// The last events, for a person who looks.
package final class LastEvents: Sendable {
  private let state: Mutex<(events: [TaskEvent], next: Int)> = Mutex(([], 0))
  private let limit: Int

  package init(_ limit: Int) { self.limit = limit }

  package func record(_ event: TaskEvent) {
    // The one that it replaces ends after the unlock: it may hold an error of anyone's.
    _ = state.withLock { state -> TaskEvent? in
      if state.events.count < limit {
        state.events.append(event)
        return nil
      }
      defer { state.next = (state.next + 1) % limit }
      return exchange(&state.events[state.next], with: event)
    }
  }

  /// The oldest first.
  package var events: [TaskEvent] {
    let (events, next) = state.withLock { $0 }
    return Array(events[next...] + events[..<next])
  }
}
