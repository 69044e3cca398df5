import Dispatch

/// Runs its tasks on one thread, in the order in which they were resumed.
///
/// The main actor does not: the runtime takes every task that is resumed there through the pool first, and two may change
/// places.
final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    Task(executorPreference: self) { try await body() }
  }

  /// What is resumed waits until ``goOn()`` is called.
  func hold() { queue.suspend() }

  func goOn() { queue.resume() }

  /// Returns when every task that was started has come to its first wait.
  func allHaveParked() async throws { try await start {}.value }
}
