import ByHand
import CoalescingTasks
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

/// Runs so many callers at once, each of which makes one call.
private func crowd(_ count: Int, _ call: @escaping @Sendable (Int) async -> Void) async -> Double {
  await cpuNanoseconds(per: count) {
    await withTaskGroup { group in
      for number in 0..<count { group.addTask { await call(number) } }
    }
  }
}

func suspendingCallers(_ count: Int) async -> Double {
  let executor = SerialTaskExecutor()
  return await crowd(count) { _ in try! await executor.enqueue { await Task.yield() } }
}

func suspendingWrites(_ count: Int) async -> Double {
  let repository = CoalescingTaskExecutor<Int>()
  return await crowd(count) { _ in try! await repository.write { await Task.yield() } }
}

func suspendingSemaphore(_ count: Int) async -> Double {
  let semaphore = Semaphore()
  return await crowd(count) { _ in
    try! await semaphore.wait()
    await Task.yield()
    semaphore.signal()
  }
}

func suspendingSubmitted(_ count: Int) async -> Double {
  let executor = SerialTaskExecutor()
  return await cpuNanoseconds(per: count) {
    for _ in 0..<count { executor.submit { await Task.yield() } }
    try! await executor.drain()
  }
}

func suspendingChain(_ count: Int) async -> Double {
  let chain = TaskChain()
  return await cpuNanoseconds(per: count) {
    for _ in 1..<count { chain.append { await Task.yield() } }
    await chain.append { await Task.yield() }.value
  }
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

  func pauseAll(_ count: Int) { for key in 0..<count { self[key].pause() } }

  func resumeAll(_ count: Int) { for key in 0..<count { self[key].resume() } }
}

/// A hundred keys, and a hundred callers of each.
func suspendingKeys() async -> Double {
  let keyed = KeyedSerialTaskExecutor<Int>()
  return await crowd(10_000) { number in try! await keyed.enqueue(for: number % 100) { await Task.yield() } }
}

func suspendingLines() async -> Double {
  let lines = Lines()
  return await crowd(10_000) { number in try! await lines[number % 100].enqueue { await Task.yield() } }
}

func suspendingSemaphores() async -> Double {
  let semaphores = Semaphores()
  return await crowd(10_000) { number in
    let semaphore = semaphores[number % 100]
    try! await semaphore.wait()
    await Task.yield()
    semaphore.signal()
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
  return await crowd(1_000) { number in
    _ = try! await coalescer.value(for: number % 100) {
      await Task.yield()
      return number
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
  return await crowd(1_000) { number in
    _ = await tasks.value(for: number % 100) {
      await Task.yield()
      return number
    }
  }
}

var contended: [BudgetLine] {
  [
    BudgetLine(
      title: "2 000 suspending callers, CPU", floorTitle: "a cancellable semaphore by hand", limit: 1.2,
      subject: { await suspendingCallers(2_000) }, floor: { await suspendingSemaphore(2_000) }),
    BudgetLine(
      title: "2 000 suspending submitted, CPU", floorTitle: "tasks that await the one before", limit: 1.2,
      subject: { await suspendingSubmitted(2_000) }, floor: { await suspendingChain(2_000) }),
    BudgetLine(
      title: "2 000 suspending writes, CPU", floorTitle: "2 000 suspending callers", limit: 1.15,
      subject: { await suspendingWrites(2_000) }, floor: { await suspendingCallers(2_000) }),
    BudgetLine(
      title: "100 keys × 100 suspending, CPU", floorTitle: "a dictionary of lines", limit: 1.15,
      subject: { await suspendingKeys() }, floor: { await suspendingLines() }),
    BudgetLine(
      title: "100 keys × 100 suspending, CPU", floorTitle: "a dictionary of semaphores", limit: 1.2,
      subject: { await suspendingKeys() }, floor: { await suspendingSemaphores() }),
    BudgetLine(
      title: "100 keys × 100 detached, CPU", floorTitle: "a dictionary of lines", limit: 1.2,
      subject: { await detachedKeys() }, floor: { await detachedLines() }),
    BudgetLine(
      title: "1 000 callers of 100 flights, CPU", floorTitle: "an actor with a dictionary of tasks", limit: 1.1,
      subject: { await sharedKeys() }, floor: { await sharedKeysByHand() }),
  ]
}
