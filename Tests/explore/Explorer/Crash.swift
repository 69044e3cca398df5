#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Says which schedule it was when the library traps in one, or never comes back from it.
///
/// A lock that is taken twice by one thread traps too, and that is how something foreign called under a lock is found: the
/// explorer preempts there, and the preempted lock is needed by another task.
enum Crash {
  /// Safe because the one thread of the explorer writes it, and the handler runs on that thread.
  nonisolated(unsafe) static var schedule: Schedule?
  /// Safe for the same reason.
  private nonisolated(unsafe) static var world: World?
  /// Safe for the same reason.
  private nonisolated(unsafe) static var finished = 0
  /// Safe for the same reason.
  private nonisolated(unsafe) static var finishedAtLastLook = -1

  private static let patience: UInt32 = 10

  static func watch(_ world: World) {
    self.world = world
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
      signal(number) { number in
        let promise = Crash.world?.isProbing == true ? "no task is resumed under a lock" : "the library does not trap"
        Crash.report(promise, "signal \(number)")
      }
    }
    signal(SIGALRM) { _ in
      if Crash.finished == Crash.finishedAtLastLook {
        Crash.report("a step comes to its end", "it has been running for \(Crash.patience) s")
      }
      Crash.finishedAtLastLook = Crash.finished
      alarm(Crash.patience)
    }
    alarm(patience)
  }

  static func scheduleEnded() { finished += 1 }

  /// Prints, from a signal handler, what it should not: the process is lost anyhow, and this is worth trying.
  private static func report(_ promise: String, _ detail: String) {
    signal(SIGSEGV, SIG_DFL)
    if let schedule, let world {
      print(Failure(schedule: schedule, promise: promise, detail: detail, trace: world.trace))
    }
    fflush(nil)
    _exit(1)
  }
}
