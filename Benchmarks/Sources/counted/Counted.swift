import Dispatch
import SerialTasks

/// Does one thing a number of times, so that its instructions can be counted: `counted CASE TIMES`.
///
/// `main` is not asynchronous: it would end the main thread, which valgrind does not survive. It waits instead, or, for what
/// never suspends, is the thread on which everything runs.
@main
struct Counted {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let times = Int(arguments[2]), let what = Case(rawValue: arguments[1]) else {
      fatalError("usage: counted \(Case.allCases.map(\.rawValue).joined(separator: "|")) TIMES")
    }
    let done = DispatchSemaphore(value: 0)
    if what == .freeLineOnMainActor {
      MainActor.assumeIsolated { startOnMainActor(times, done) }
    } else {
      Task.detached {
        await what.run(times)
        done.signal()
      }
    }
    done.wait()
  }

  @MainActor private static func startOnMainActor(_ times: Int, _ done: DispatchSemaphore) {
    Task.immediate {
      await runFreeLine(times, isolation: MainActor.shared)
      done.signal()
    }
  }
}

final class Counter { var count = 0 }

/// A job that a compiler cannot see through: it is asynchronous, though it never suspends.
@inline(never)
nonisolated(nonsending) func work(_ counter: Counter) async { counter.count += 1 }

@inline(never)
func operation() async -> Int { 42 }
