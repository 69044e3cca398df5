import SerialTasks

/// This library, with jobs that have no task while they wait.
struct DetachedLibrary: Submitting {
  static let title = "submitDetached"
  private let executor = SerialTaskExecutor()

  nonisolated(nonsending) func enqueue(_ work: Work) async { try! await executor.enqueue { await work() } }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    executor.submitDetached {
      await work()
      done()
    }
  }
}
