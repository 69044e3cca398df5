import SerialTasks
import Synchronization

enum Local {
  @TaskLocal static var number = 0
}

/// What a user would have without this library: a mutex in an object of their own.
final class Parts: Sendable {
  let mutex = Mutex(0)
}

final class Counter { var count = 0 }

/// A job that a compiler cannot see through: it is asynchronous, though it never suspends.
@inline(never)
nonisolated(nonsending) func work(_ counter: Counter) async { counter.count += 1 }

func freeLine(isolation: isolated (any Actor)? = #isolation, calls: Int) async -> Double {
  let executor = SerialTaskExecutor()
  let counter = Counter()
  return await nanoseconds(per: calls) {
    _ = isolation  // or the loop would run on the pool
    for _ in 0..<calls { try! await executor.enqueue { await work(counter) } }
  }
}

/// Each call is for another key, so each finds one that was idle.
func freeKey(isolation: isolated (any Actor)? = #isolation, calls: Int) async -> Double {
  let executor = KeyedSerialTaskExecutor<Int>()
  let counter = Counter()
  return await nanoseconds(per: calls) {
    _ = isolation  // or the loop would run on the pool
    for key in 0..<calls { try! await executor.enqueue(for: key) { await work(counter) } }
  }
}

/// What a free line is made of, written out where it is used: a task-local bound around the job, and two sections of a mutex.
func freeParts(isolation: isolated (any Actor)? = #isolation, calls: Int) async -> Double {
  let parts = Parts()
  let counter = Counter()
  return await nanoseconds(per: calls) {
    _ = isolation  // or the loop would run on the pool
    for _ in 0..<calls {
      parts.mutex.withLock { $0 += 1 }
      await Local.$number.withValue(1) {
        _ = isolation
        await work(counter)
      }
      parts.mutex.withLock { $0 -= 1 }
    }
  }
}
