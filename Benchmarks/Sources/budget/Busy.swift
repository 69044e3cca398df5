import SerialTasks
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

/// The same with jobs that have no task while they wait.
func submittedDetached(_ count: Int) async -> Double { await queued(count) { $0.submitDetached { await job() } } }

final class Countdown: Sendable {
  let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  func isLast() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}

func bareTasks(_ count: Int) async -> Double {
  let countdown = Countdown(count)
  return await nanoseconds(per: count) {
    await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
      for _ in 0..<count {
        Task {
          await job()
          if countdown.isLast() { done.resume() }
        }
      }
    }
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

/// The same with nothing but continuations: each caller that wakes wakes the next.
final class Parked: Sendable {
  private struct State {
    var continuations: [UnsafeContinuation<Void, Never>] = []
    var resumed = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.continuations.count } }

  func park() async { await withUnsafeContinuation { next in state.withLock { $0.continuations.append(next) } } }

  func resumeNext() {
    let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard state.resumed < state.continuations.count else { return nil }
      state.resumed += 1
      return state.continuations[state.resumed - 1]
    }
    next?.resume()
  }

  func resumeAll() { for next in state.withLock({ $0.continuations }) { next.resume() } }
}

func chain(_ count: Int) async -> Double {
  let parked = Parked()
  return await withTaskGroup(returning: Double.self) { group in
    for _ in 0..<count {
      group.addTask {
        await parked.park()
        await job()
        parked.resumeNext()
      }
    }
    while parked.count < count { await Task.yield() }
    return await nanoseconds(per: count) {
      parked.resumeNext()
      await group.waitForAll()
    }
  }
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
  var (reads, writes): ([Task<Void, Never>], [SubmittedJob<Void, any Error>]) = ([], [])
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
