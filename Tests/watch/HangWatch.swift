import Foundation
import SerialTasks
import SerialTasksTesting

/// Ends the process when its tests hang, and says which do; a test that hangs and works is named, and goes on.
///
/// A test that hangs would otherwise never end: the time limit of Swift Testing is counted in minutes, cancels a task
/// that may not listen, and all tests run at once, so that a test's own time says little. But when nothing at all runs any
/// more, whatever has not ended never will.
///
/// It looks from a thread of its own, for those of the pool may be what is blocked.
package final class HangWatch: Sendable {
  package static let shared = HangWatch()

  private let hangs = Lock(Hangs())

  private init() {
    Thread.detachNewThread {
      while true {
        Thread.sleep(forTimeInterval: 1)
        let used = Self.processorTime
        let (hang, doubtful) = self.hangs.withLock { ($0.look(used: used), $0.doubtful) }
        if let hang { Self.end(hang) }
        if !doubtful.isEmpty { Self.write(Hangs.notice(of: doubtful)) }
      }
    }
  }

  /// Runs a test, or one case of it; without a patience of its own, for on a slow machine this watch knows better.
  package nonisolated(nonsending) func watch(_ name: String, _ test: () async throws -> Void) async throws {
    try await Slots.shared.run {
      let number = begins(name)
      defer { ends(number) }
      try await withPatience(nil) { try await test() }
    }
  }

  // Not inlined into the async function: a mutex asks for the id of its thread, and an optimised build of Swift 6.3.1 for Linux
  // looks up where that is kept *before* the task goes over to another thread. Then a contended mutex traps.
  @inline(never)
  private func begins(_ name: String) -> Int { hangs.withLock { $0.begins(name) } }

  @inline(never)
  private func ends(_ number: Int) { hangs.withLock { $0.ends(number) } }

  /// The processor time that the process has used, not more than a second ago.
  package var used: Duration { hangs.withLock { $0.used } }

  /// The processor time in which no test has begun or ended, since so much was used.
  package func stillness(since start: Duration) -> Duration { hangs.withLock { $0.stillness(since: start) } }

  /// What all threads of the process have used.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func end(_ hang: Hangs.Hang) -> Never {
    write("\(hang)")
    exit(EXIT_FAILURE)
  }

  private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
