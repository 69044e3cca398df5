import Synchronization

/// A call that a test makes beside another, and awaits later.
package final class Asking: Sendable {
  private let task = Mutex<Task<Void, any Error>?>(nil)

  package init() {}

  package func begin(_ call: @escaping @Sendable () async throws -> Void) {
    let task = Task { try await call() }
    self.task.withLock { $0 = task }
  }

  package func end() async throws { try await task.withLock { $0 }?.value }
}
