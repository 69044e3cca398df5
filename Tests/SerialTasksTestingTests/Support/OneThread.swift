import Dispatch

/// Runs its tasks on one thread, in the order in which they are resumed.
///
/// The main actor does not: the runtime sends every resumed task through the pool first, where two may change places.
final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    Task(executorPreference: self) { try await body() }
  }

  /// Returns when every started task has reached its first wait.
  func allHaveParked() async throws { try await start {}.value }
}
