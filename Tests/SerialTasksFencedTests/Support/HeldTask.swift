import Dispatch

/// A task that, once it has waited, goes on only when the test says so: a caller whose thread is busy.
final class HeldTask: TaskExecutor {
  private let queue = DispatchQueue(label: "a held task")
  private let steps = Log<Void>()

  func enqueue(_ job: consuming ExecutorJob) {
    // The job may end the task, and with it the last reference to this, before `steps` has noted it.
    let kept = Unmanaged.passRetained(self)
    defer { kept.release() }
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    steps(())
  }

  /// Starts the task, which waits when this returns, and is held from then on.
  func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    let task = Task(executorPreference: self) { try await body() }
    queue.sync { queue.suspend() }
    return task
  }

  /// Returns when the task has been resumed.
  func resumed() async throws { try await until { steps.entries.count > 1 } }

  /// Lets the task go on; when this returns, it waits again or has ended.
  func goOn() {
    queue.resume()
    queue.sync {}
  }
}
