import Foundation

/// Runs the steps of its tasks on threads whose stack is as small as that of a worker thread on Apple's systems.
package final class SmallStack: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.stackSize = 512 << 10
    thread.start()
  }

  package func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    Task(executorPreference: self) { try await body() }
  }
}
