import Comparing
import SerialTasks
import Synchronization

/// A queue for each key.
protocol Keyed: Sendable {
  nonisolated(nonsending) func enqueue(_ work: Work, for key: Int) async
}

/// What one writes where a queue knows no keys: a dictionary, which keeps the queue of each key that was ever used.
final class DictionaryOfQueues<Queue: Contender>: Keyed {
  private let queues = Mutex<[Int: Queue]>([:])

  nonisolated(nonsending) func enqueue(_ work: Work, for key: Int) async { await queue(of: key).enqueue(work) }

  private func queue(of key: Int) -> Queue {
    queues.withLock { queues in
      if let queue = queues[key] { return queue }
      let queue = Queue()
      queues[key] = queue
      return queue
    }
  }
}

/// The library's queues with keys, which vanish when they are not used.
struct LibraryWithKeys: Keyed {
  private let executor = KeyedSerialTaskExecutor<Int>()

  nonisolated(nonsending) func enqueue(_ work: Work, for key: Int) async {
    try! await executor.enqueue(for: key) { await work() }
  }
}

extension Contender {
  static func keyed() -> any Keyed { DictionaryOfQueues<Self>() }

  /// That many callers at once, on a hundred keys.
  static func playKeys(_ depth: Int, _ work: Work, on context: Context) async -> Double {
    let queues = keyed()
    return await nanoseconds {
      await withTaskGroup { group in
        for number in 0..<depth {
          group.addTask(operation: context.here { await queues.enqueue(work, for: number % 100) })
        }
      }
    }
  }
}
