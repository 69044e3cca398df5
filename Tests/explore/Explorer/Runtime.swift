#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The identity of a task, or 0 for a job that is none, as the concurrency runtime counts them.
///
/// Safe because the declaration is the runtime's: one pointer in, one number out, Swift's calling convention.
@_silgen_name("swift_task_getJobTaskId")
private func taskID(of job: UnownedJob) -> UInt64

/// The places at which Swift's concurrency runtime lets other code decide when a job runs.
///
/// Every task that becomes runnable, and every default actor with work, comes through `swift_task_enqueueGlobal`. Since
/// Swift 6.2 `Task.yield` and `Task.sleep` go to Dispatch behind its back, and so does the main actor on Linux: a model
/// uses ``World/step()`` and ``World/sleep(_:)`` instead, and no main actor. A job that gets onto another thread all the
/// same is noticed when it enqueues.
enum Runtime {
  // Safe because all arguments are words: Swift's calling convention and C's pass them in the same registers.
  private typealias EnqueueHook = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer?) -> Void
  private typealias DelayHook = @convention(c) (UInt64, UnsafeMutableRawPointer, UnsafeRawPointer?) -> Void
  private typealias DeadlineHook =
    @convention(c) (
      Int64, Int64, Int64, Int64, Int32, UnsafeMutableRawPointer, UnsafeRawPointer?
    ) -> Void

  /// Hands every job of this process to the scheduler, for good.
  static func takeOver(_ scheduler: Scheduler) {
    Scheduler.current = scheduler
    thread = pthread_self()
    hook("swift_task_enqueueGlobal_hook", EnqueueHook.self) { job, _ in
      Runtime.scheduler.add(Runtime.job(job))
    }
    hook("swift_task_enqueueGlobalWithDelay_hook", DelayHook.self) { nanoseconds, job, _ in
      Runtime.scheduler.add(Runtime.job(job), after: Int(nanoseconds / 1_000_000))
    }
    hook("swift_task_enqueueGlobalWithDeadline_hook", DeadlineHook.self) { seconds, nanoseconds, _, _, clock, job, _ in
      let now = Runtime.now(clock == 2 ? CLOCK_MONOTONIC : Runtime.continuous)
      let left = (seconds - Int64(now.tv_sec)) * 1_000_000_000 + nanoseconds - Int64(now.tv_nsec)
      Runtime.scheduler.add(Runtime.job(job), after: max(0, Int(left + 500_000) / 1_000_000))
    }
  }

  /// Runs the job here and now, until its task suspends or ends.
  static func run(_ job: UnownedJob) { job.runSynchronously(on: anywhere) }

  static func task(of job: UnownedJob) -> UInt64 { taskID(of: job) }

  /// The executor of code that is not isolated.
  ///
  /// Safe because two null words are how the runtime writes it.
  private static let anywhere = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

  /// Safe because it is written once, before the first job exists.
  private nonisolated(unsafe) static var thread = pthread_self()

  private static var scheduler: Scheduler {
    if pthread_equal(thread, pthread_self()) == 0 {
      fatalError("a job got onto another thread: use World.step() and World.sleep(_:), not Task.yield() and Task.sleep")
    }
    return Scheduler.current!
  }

  private static func job(_ pointer: UnsafeMutableRawPointer) -> UnownedJob {
    // Safe because a job without an owner is a pointer to it.
    unsafeBitCast(pointer, to: UnownedJob.self)
  }

  private static func hook<Hook>(_ name: String, _: Hook.Type, _ hook: Hook) {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { fatalError("this runtime has no \(name)") }
    symbol.assumingMemoryBound(to: Hook?.self).pointee = hook
  }

  #if canImport(Darwin)
    private static let continuous = CLOCK_MONOTONIC_RAW
  #else
    private static let continuous = CLOCK_BOOTTIME
  #endif

  private static func now(_ clock: clockid_t) -> timespec {
    var now = timespec()
    clock_gettime(clock, &now)
    return now
  }
}
