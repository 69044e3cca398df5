import ByHand
import CoalescingTasks
import Dispatch
import Synchronization

// MARK: - Many callers at once

@inline(never)
func job() async {}

func callers(_ count: Int) async -> Double {
  let executor = SerialTaskExecutor()
  return await nanoseconds(per: count) {
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { try! await executor.enqueue { await job() } } }
    }
  }
}

func group(_ count: Int) async -> Double {
  await nanoseconds(per: count) {
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await job() } }
    }
  }
}

// MARK: - Many submitted jobs

/// The line is held while the jobs are submitted, so that all of them wait.
private func queued(_ count: Int, _ submit: (SerialTaskExecutor) -> Void) async -> Double {
  let executor = SerialTaskExecutor()
  return await nanoseconds(per: count) {
    executor.pause()
    for _ in 0..<count { submit(executor) }
    executor.resume()
    try! await executor.drain()
  }
}

func submitted(_ count: Int) async -> Double { await queued(count) { $0.submit { await job() } } }

/// Jobs that have no task while they wait, submitted while the line is held.
func submittedDetached(_ count: Int) async -> Double { await queued(count) { $0.submitDetached { await job() } } }

/// The floor of `submit`: as many tasks, and the value of each.
func bareTasks(_ count: Int) async -> Double {
  var tasks: [Task<Void, Never>] = []
  tasks.reserveCapacity(count)
  return await nanoseconds(per: count) {
    for _ in 0..<count { tasks.append(Task { await job() }) }
    for task in tasks { await task.value }
  }
}

/// What is written by hand for order.
func taskChain(_ count: Int) async -> Double {
  let chain = TaskChain()
  return await nanoseconds(per: count) {
    for _ in 1..<count { chain.append { await job() } }
    await chain.append { await job() }.value
  }
}

/// A job as GCD knows it, which cannot suspend.
@inline(never)
func synchronousJob() {}

/// The floor of `submitDetached`: `async` on a serial queue, which is held while the jobs are submitted.
func dispatched(_ count: Int) async -> Double {
  let queue = DispatchQueue(label: "jobs")
  return await nanoseconds(per: count) {
    queue.suspend()
    for _ in 0..<count { queue.async { synchronousJob() } }
    queue.resume()
    await withUnsafeContinuation { done in queue.async { done.resume() } }
  }
}

/// What is written by hand for jobs that suspend: a stream of closures, and one task that runs them.
func streamed(_ count: Int) async -> Double {
  let (jobs, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream()
  return await nanoseconds(per: count) {
    for _ in 0..<count { continuation.yield { await job() } }
    continuation.finish()
    await Task { for await job in jobs { await job() } }.value
  }
}

// MARK: - Handing over

/// `count` callers are parked, and then each hands its turn to the next.
func handovers(_ count: Int) async -> Double {
  let executor = SerialTaskExecutor()
  return await withTaskGroup(returning: Double.self) { group in
    executor.pause()
    for _ in 0..<count { group.addTask { try! await executor.enqueue { await job() } } }
    while executor.snapshot.waiting < count { await Task.yield() }
    return await nanoseconds(per: count) {
      executor.resume()
      await group.waitForAll()
    }
  }
}

/// The floor of handing over: parked continuations, each of which resumes the next; nothing is looked up, and nothing locked.
final class Chain: @unchecked Sendable {
  // Safe because each link is written by the task that parks there, and read by the one before it, after all have parked.
  private let links: UnsafeMutableBufferPointer<UnsafeContinuation<Void, Never>?>
  private let parked = Atomic(0)

  init(_ count: Int) {
    links = .allocate(capacity: count)
    links.initialize(repeating: nil)
  }

  deinit { links.deallocate() }

  var isComplete: Bool { parked.load(ordering: .acquiring) == links.count }

  func park(at index: Int) async {
    await withUnsafeContinuation { next in
      links[index] = next
      parked.add(1, ordering: .acquiringAndReleasing)
    }
  }

  func resume(_ index: Int) { if index < links.count { links[index]!.resume() } }
}

func chain(_ count: Int) async -> Double {
  let chain = Chain(count)
  return await withTaskGroup(returning: Double.self) { group in
    for index in 0..<count {
      group.addTask {
        await chain.park(at: index)
        await job()
        chain.resume(index + 1)
      }
    }
    while !chain.isComplete { await Task.yield() }
    return await nanoseconds(per: count) {
      chain.resume(0)
      await group.waitForAll()
    }
  }
}

/// Callers that are parked with a continuation each, and resumed all at once.
final class Parked: Sendable {
  private let continuations = Mutex<[UnsafeContinuation<Void, Never>]>([])

  var count: Int { continuations.withLock { $0.count } }

  func park() async { await withUnsafeContinuation { next in continuations.withLock { $0.append(next) } } }

  func resumeAll() { for next in continuations.withLock({ $0 }) { next.resume() } }
}

// MARK: - Leaving

/// `count` callers wait, and all are cancelled, the last first.
func leaving(_ count: Int) async -> Double {
  let executor = SerialTaskExecutor()
  executor.pause()
  let tasks = (0..<count).map { _ in Task { _ = try? await executor.enqueue { await job() } } }
  while executor.snapshot.waiting < count { await Task.yield() }
  return await nanoseconds(per: count) {
    for task in tasks.reversed() { task.cancel() }
    for task in tasks { await task.value }
  }
}

/// `count` reads wait, with a write between each two, and all writes are cancelled, the last first.
func leavingBetweenReads(_ count: Int) async -> Double {
  let executor = CoalescingTaskExecutor<Int>()
  executor.pause()
  var (reads, writes): ([Task<Void, Never>], [SubmittedJob<Void>]) = ([], [])
  for key in 0..<count {
    reads.append(.immediate { _ = try? await executor.read(key) { await job() } })
    writes.append(executor.submitWrite { await job() })
  }
  let time = await nanoseconds(per: count) { for write in writes.reversed() { write.cancel() } }
  executor.cancelAll()
  for read in reads { await read.value }
  return time
}

// MARK: - Waiting, with and without a second handler

/// `count` tasks are made and parked as callers of this library are, and resumed, with one handler of the runtime's or two.
func parked(_ count: Int, escalates: Bool) async -> Double {
  await nanoseconds(per: count) {
    let parked = Parked()
    let tasks = (0..<count).map { _ in
      Task.immediate {
        await withTaskCancellationHandler {
          if escalates {
            await withTaskPriorityEscalationHandler {
              await parked.park()
            } onPriorityEscalated: { _, _ in
              _ = parked
            }
          } else {
            await parked.park()
          }
        } onCancel: {
          _ = parked
        }
      }
    }
    parked.resumeAll()
    for task in tasks { await task.value }
  }
}
