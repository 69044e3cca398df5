/// Runs a task where it is resumed, before what resumes it goes on.
final class InPlace: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
