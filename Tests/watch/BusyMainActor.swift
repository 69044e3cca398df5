import Dispatch
import SerialTasksTesting

/// Keeps the main actor busy, so that nothing else runs there.
package final class BusyMainActor: Sendable {
  private let end = DispatchSemaphore(value: 0)

  /// Returns when the main actor is busy.
  package init() async {
    let isBusy = Gate()
    Task.detached { @MainActor in
      isBusy.open()
      self.block()
    }
    await isBusy.pass()
  }

  private func block() { end.wait() }

  package func release() { end.signal() }
}
