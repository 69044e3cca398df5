import Dispatch
import SerialTasks

/// Runs an actor on one thread, of which can be seen whether it has anything to do, and which can be held.
final class HeldExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "held")
  private let jobs = Lock(0)

  /// How many steps wait or run.
  var waiting: Int { jobs.withLock { $0 } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0 += 1 }
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      self.jobs.withLock { $0 -= 1 }
    }
  }

  /// Lets what comes wait until ``goOn()`` is called.
  func hold() { queue.sync { queue.suspend() } }

  func goOn() { queue.resume() }
}
