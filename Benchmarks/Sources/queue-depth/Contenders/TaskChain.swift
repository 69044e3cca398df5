import Synchronization

/// A chain of tasks, each of which awaits the one before it.
final class TaskChain: Submitting {
  static let title = "chain of tasks"
  private let last = Mutex<Task<Void, Never>?>(nil)

  nonisolated(nonsending) func enqueue(_ work: Work) async { await append(work) {}.value }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) { _ = append(work, then: done) }

  private func append(_ work: Work, then done: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    last.withLock { last in
      let task = Task { [last] in
        await last?.value
        await work()
        done()
      }
      last = task
      return task
    }
  }
}
