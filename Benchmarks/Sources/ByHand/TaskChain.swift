import Synchronization

/// A chain of tasks, each of which awaits the one before it.
package final class TaskChain: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  package init() {}

  @discardableResult
  package func append(_ job: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    last.withLock { last in
      let task = Task { [last] in
        await last?.value
        await job()
      }
      last = task
      return task
    }
  }
}
