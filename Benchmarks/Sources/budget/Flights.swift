import CoalescingTasks
import Synchronization

// MARK: - Leading

@inline(never)
func operation() async -> Int { 42 }

func leading(_ count: Int) async -> Double {
  let coalescer = TaskCoalescer<Int, Int>()
  return await nanoseconds(per: count) {
    for _ in 0..<count { _ = try! await coalescer.value(for: 7) { await operation() } }
  }
}

func taskValues(_ count: Int) async -> Double {
  await nanoseconds(per: count) {
    for _ in 0..<count { _ = await Task { await operation() }.value }
  }
}

/// What is written by hand: a dictionary of the tasks that run, in an actor.
///
/// `coalescing` has one of its own. In a module that both use, even inlinable, a call would need 7 % more instructions, and
/// what the library is compared with must not be slower than written out.
actor TaskDictionary {
  private var tasks: [Int: Task<Int, Never>] = [:]
  private(set) var calls = 0

  func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int {
    calls += 1
    if let task = tasks[key] { return await task.value }
    let task = Task { await operation() }
    tasks[key] = task
    defer { tasks[key] = nil }
    return await task.value
  }
}

func leadingByHand(_ count: Int) async -> Double {
  let flights = TaskDictionary()
  return await nanoseconds(per: count) {
    for _ in 0..<count { _ = await flights.value(for: 7) { await operation() } }
  }
}

// MARK: - Joining

/// Lets the tasks go on that wait for it, all at once.
final class Door: Sendable {
  private let continuation = Mutex<UnsafeContinuation<Void, Never>?>(nil)

  func pass() async { await withUnsafeContinuation { next in continuation.withLock { $0 = next } } }

  /// Waits until a task stands before it.
  func open() async {
    while true {
      if let next = continuation.withLock({ $0.take() }) { return next.resume() }
      await Task.yield()
    }
  }
}

/// `count` callers of one flight, which ends when all of them are on board.
func joiners(_ count: Int) async -> Double {
  let coalescer = TaskCoalescer<Int, Int>()
  let door = Door()
  return await nanoseconds(per: count) {
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          _ = try! await coalescer.value(for: 7) {
            await door.pass()
            return 42
          }
        }
      }
      while coalescer.snapshot.waiting < count { await Task.yield() }
      await door.open()
    }
  }
}

/// `count` callers of one task in a dictionary, who cannot leave.
func joinersByHand(_ count: Int) async -> Double {
  let flights = TaskDictionary()
  let door = Door()
  return await nanoseconds(per: count) {
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          _ = await flights.value(for: 7) {
            await door.pass()
            return 42
          }
        }
      }
      while await flights.calls < count { await Task.yield() }
      await door.open()
    }
  }
}

/// What waiting alone costs: `count` children that park with nothing but a continuation, and are resumed all at once.
func parkedChildren(_ count: Int) async -> Double {
  let parked = Parked()
  return await nanoseconds(per: count) {
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          await job()
          await parked.park()
        }
      }
      while parked.count < count { await Task.yield() }
      parked.resumeAll()
    }
  }
}

/// The mean over many times ten, which is too short to be measured once.
func repeated(_ times: Int, _ candidate: (Int) async -> Double) async -> Double {
  var sum = 0.0
  for _ in 0..<times { sum += await candidate(10) }
  return sum / Double(times)
}

// MARK: - Many keys

/// Each caller leads a flight of its own, and all of them fly at once.
func keys(_ count: Int) async -> Double {
  let coalescer = TaskCoalescer<Int, Int>()
  return await nanoseconds(per: count) {
    await withTaskGroup { group in
      for key in 0..<count {
        group.addTask { _ = try! await coalescer.value(for: key) { await operation() } }
      }
    }
  }
}

/// As many children with nothing shared: each awaits a task of its own.
func groupOfTasks(_ count: Int) async -> Double {
  await nanoseconds(per: count) {
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { _ = await Task { await operation() }.value } }
    }
  }
}
