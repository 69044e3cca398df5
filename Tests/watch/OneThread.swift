import Dispatch

/// Runs its tasks on one thread, in the order in which they were resumed.
///
/// The main actor does not: the runtime takes every task that is resumed there through the pool first, and two may change
/// places.
package final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one thread")
  private let steps = Log<Void>()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    // The job may end the task, and with it the last reference to this, before the step is noted.
    let kept = Unmanaged.passRetained(self)
    defer { kept.release() }
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    steps(())
  }

  package func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    Task(executorPreference: self) { try await body() }
  }

  /// How often tasks were started and resumed.
  package var count: Int { steps.entries.count }

  /// Returns when every task that was started has come to its first wait.
  package func allHaveParked() async throws { try await start {}.value }

  /// What is resumed waits until ``goOn()`` is called.
  package func hold() { queue.suspend() }

  package func goOn() { queue.resume() }

  /// Returns when all that has been resumed has run to its next wait.
  package func settle() { queue.sync {} }
}
