import CoalescingTasks
import Mix
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

// Where callers really wait: each job suspends once. Measured in CPU time of the process, since what two threads pay when they
// meet is not seen in one that waits for the other.

/// Nanoseconds of CPU time for each of `count` operations.
func cpuNanoseconds(per count: Int, _ body: () async -> Void) async -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
  let start = now()
  await body()
  return (now() - start) / Double(count)
}

/// The same, of callers whose jobs suspend once.
private func suspending(_ way: Suspending, _ count: Int) async -> Double {
  await cpuNanoseconds(per: count) { await way.run(count) }
}

// MARK: - Keys

/// A dictionary of the library's own lines, which are never removed.
private final class Lines: Sendable {
  private let lines = Mutex<[Int: SerialTaskExecutor]>([:])

  subscript(key: Int) -> SerialTaskExecutor {
    lines.withLock { lines in
      if let line = lines[key] { return line }
      let line = SerialTaskExecutor()
      lines[key] = line
      return line
    }
  }

  func drain() async { for line in lines.withLock({ Array($0.values) }) { try! await line.drain() } }
}

/// A hundred keys, and a hundred callers of each.
func suspendingLines() async -> Double {
  let lines = Lines()
  return await cpuNanoseconds(per: 10_000) {
    await crowd(10_000) { number in try! await lines[number % 100].enqueue { await Task.yield() } }
  }
}

func detachedKeys() async -> Double {
  let keyed = KeyedSerialTaskExecutor<Int>()
  return await cpuNanoseconds(per: 10_000) {
    for number in 0..<10_000 { keyed.submitDetached(for: number % 100) { await job() } }
    try! await keyed.drain()
  }
}

func detachedLines() async -> Double {
  let lines = Lines()
  return await cpuNanoseconds(per: 10_000) {
    for number in 0..<10_000 { lines[number % 100].submitDetached { await job() } }
    await lines.drain()
  }
}

/// A thousand callers of a hundred keys, each of which awaits the operation that it shares.
func sharedKeys() async -> Double {
  let coalescer = TaskCoalescer<Int, Int>()
  return await cpuNanoseconds(per: 1_000) {
    await crowd(1_000) { number in
      _ = try! await coalescer.value(for: number % 100) {
        await Task.yield()
        return number
      }
    }
  }
}

private actor Tasks {
  private var tasks: [Int: Task<Int, Never>] = [:]

  func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int {
    if let task = tasks[key] { return await task.value }
    let task = Task { await operation() }
    tasks[key] = task
    let value = await task.value
    tasks[key] = nil
    return value
  }
}

func sharedKeysByHand() async -> Double {
  let tasks = Tasks()
  return await cpuNanoseconds(per: 1_000) {
    await crowd(1_000) { number in
      _ = await tasks.value(for: number % 100) {
        await Task.yield()
        return number
      }
    }
  }
}

var contended: [BudgetLine] {
  [
    BudgetLine(
      title: "2 000 suspending callers, CPU", floorTitle: "a cancellable semaphore by hand", limit: 1.2,
      subject: { await suspending(.line, 2_000) }, floor: { await suspending(.semaphore, 2_000) }),
    BudgetLine(
      title: "2 000 suspending submitted, CPU", floorTitle: "tasks that await the one before", limit: 1.2,
      subject: { await suspending(.submit, 2_000) }, floor: { await suspending(.chain, 2_000) }),
    BudgetLine(
      title: "2 000 suspending writes, CPU", floorTitle: "2 000 suspending callers", limit: 1.15,
      subject: { await suspending(.write, 2_000) }, floor: { await suspending(.line, 2_000) }),
    BudgetLine(
      title: "100 keys × 100 suspending, CPU", floorTitle: "a dictionary of lines", limit: 1.15,
      subject: { await suspending(.key, 10_000) }, floor: { await suspendingLines() }),
    BudgetLine(
      title: "100 keys × 100 suspending, CPU", floorTitle: "a dictionary of semaphores", limit: 1.2,
      subject: { await suspending(.key, 10_000) }, floor: { await suspending(.semaphores, 10_000) }),
    BudgetLine(
      title: "100 keys × 100 detached, CPU", floorTitle: "a dictionary of lines", limit: 1.2,
      subject: { await detachedKeys() }, floor: { await detachedLines() }),
    BudgetLine(
      title: "1 000 callers of 100 flights, CPU", floorTitle: "an actor with a dictionary of tasks", limit: 1.1,
      subject: { await sharedKeys() }, floor: { await sharedKeysByHand() }),
  ]
}
