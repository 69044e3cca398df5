import CoalescingTasks
import Mix
import Synchronization

/// What can be counted; a floor is what the case before it is compared with, and bare is the least that keeps its promises.
enum Case: String, CaseIterable {
  case freeLine = "free-line"
  case freeLineFloor = "free-line-floor"
  case freeLineOnMainActor = "free-line-on-main-actor"
  case freeKey = "free-key"
  case freeWrite = "free-write"
  case busyKeys = "free-key-another-runs"
  case twoKeys = "two-keys"
  case freeRead = "free-read"
  case freeReadBare = "free-read-bare"
  case freeLineLimited = "free-line-limited"
  case freeKeyLimited = "free-key-limited"
  case freeWriteLimited = "free-write-limited"
  case freeKeyReported = "free-key-reported"
  case freeLongKeyReported = "free-long-key-reported"
  case lead
  case leadFloor = "lead-floor"
  case leadBare = "lead-bare"
  case join
  case joinFloor = "join-floor"
  case joinBare = "join-bare"
  case submit
  case submitFloor = "submit-floor"
  case submitKey = "submit-key"
  case submitWrite = "submit-write"
  case submitDetached = "submit-detached"
  case submitDetachedKey = "submit-detached-key"
  case submitDetachedFloor = "submit-detached-floor"
  case handOver = "hand-over"
  case handOverKey = "hand-over-key"
  case handOverWrite = "hand-over-write"
  case handOverTouching = "hand-over-touching"
  case handOverFloor = "hand-over-floor"
  case handOverBare = "hand-over-bare"
  /// What is left of the cases before without their hand-overs: callers that park, and are never resumed.
  case parked
  case parkedKey = "parked-key"
  case parkedWrite = "parked-write"
  case parkedTouching = "parked-touching"
  case parkedFloor = "parked-floor"
  case parkedBare = "parked-bare"
  // Callers whose jobs suspend once.
  case suspending
  case suspendingKey = "suspending-key"
  case suspendingWrite = "suspending-write"
  case suspendingSubmit = "suspending-submit"
  case suspendingSemaphore = "suspending-semaphore"
  case suspendingSemaphores = "suspending-semaphores"
  case suspendingChain = "suspending-chain"
  case suspendingBare = "suspending-bare"
  case suspendingKeyBare = "suspending-key-bare"
  case suspendingSubmitBare = "suspending-submit-bare"
  /// What is in each of the cases before: tasks that yield once.
  case suspendingFloor = "suspending-floor"

  func run(_ times: Int) async {
    switch self {
    case .freeLine: await runFreeLine(times, isolation: nil)
    case .freeLineFloor: await runFreeLineFloor(times)
    case .freeLineOnMainActor: await runFreeLine(times, isolation: MainActor.shared)
    case .freeKey: await runFreeKey(times)
    case .freeWrite: await runFreeWrite(times)
    case .busyKeys: await runBusyKeys(times)
    case .twoKeys: await runTwoKeys(times)
    case .freeRead: await runFreeRead(times)
    case .freeReadBare: await runFreeReadBare(times)
    case .freeLineLimited: await runFreeLineLimited(times)
    case .freeKeyLimited: await runFreeKeyLimited(times)
    case .freeWriteLimited: await runFreeWriteLimited(times)
    case .freeKeyReported: await runFreeKeyReported(times) { $0 }
    case .freeLongKeyReported: await runFreeKeyReported(times, LongKey.init)
    case .lead: await runLead(times)
    case .leadFloor: await runLeadFloor(times)
    case .leadBare: await runLeadBare(times)
    case .join: await runJoin(times)
    case .joinFloor: await runJoinFloor(times)
    case .joinBare: await runJoinBare(times)
    case .submit: await runSubmit(times)
    case .submitKey: await runSubmitKey(times)
    case .submitWrite: await runSubmitWrite(times)
    case .submitFloor: await runSubmitFloor(times)
    case .submitDetached: await runSubmitDetached(times)
    case .submitDetachedKey: await runSubmitDetachedKey(times)
    case .submitDetachedFloor: await runSubmitDetachedFloor(times)
    case .handOver: await runHandOver(times, handsOver: true)
    case .parked: await runHandOver(times, handsOver: false)
    case .handOverKey: await runHandOverKey(times, handsOver: true)
    case .parkedKey: await runHandOverKey(times, handsOver: false)
    case .handOverWrite: await runHandOverWrite(times, touching: nil, handsOver: true)
    case .parkedWrite: await runHandOverWrite(times, touching: nil, handsOver: false)
    case .handOverTouching: await runHandOverWrite(times, touching: 7, handsOver: true)
    case .parkedTouching: await runHandOverWrite(times, touching: 7, handsOver: false)
    case .handOverFloor: await runHandOverFloor(times, handsOver: true)
    case .parkedFloor: await runHandOverFloor(times, handsOver: false)
    case .handOverBare: await runHandOverBare(times, handsOver: true)
    case .parkedBare: await runHandOverBare(times, handsOver: false)
    case .suspending: await Suspending.line.run(times)
    case .suspendingKey: await Suspending.key.run(times)
    case .suspendingWrite: await Suspending.write.run(times)
    case .suspendingSubmit: await Suspending.submit.run(times)
    case .suspendingSemaphore: await Suspending.semaphore.run(times)
    case .suspendingSemaphores: await Suspending.semaphores.run(times)
    case .suspendingChain: await Suspending.chain.run(times)
    case .suspendingBare: await runSuspendingBare(times)
    case .suspendingKeyBare: await runSuspendingKeyBare(times)
    case .suspendingSubmitBare: await runSuspendingSubmitBare(times)
    case .suspendingFloor: await Suspending.nothing.run(times)
    }
  }
}

func runFreeLine(_ times: Int, isolation: isolated (any Actor)?) async {
  let (executor, counter) = (SerialTaskExecutor(), Counter())
  for _ in 0..<times { try! await executor.enqueue { await work(counter) } }
  precondition(counter.count == times)
}

/// Each call is for another key, so each finds one that was idle.
private func runFreeKey(_ times: Int) async {
  let (executor, counter) = (KeyedSerialTaskExecutor<Int>(), Counter())
  for key in 0..<times { try! await executor.enqueue(for: key) { await work(counter) } }
  precondition(counter.count == times)
}

private func runFreeWrite(_ times: Int) async {
  let (repository, counter) = (CoalescingTaskExecutor<Int>(), Counter())
  for _ in 0..<times { try! await repository.write { await work(counter) } }
  precondition(counter.count == times)
}

/// Each call is for another key, while a job of yet another key runs.
private func runBusyKeys(_ times: Int) async {
  let (executor, counter) = (KeyedSerialTaskExecutor<Int>(), Counter())
  let other = AsyncStream<Void>.makeStream()
  let hasBegun = AsyncStream<Void>.makeStream()
  let task = Task {
    try await executor.enqueue(for: -1) {
      hasBegun.continuation.finish()
      for await _ in other.stream {}
    }
  }
  for await _ in hasBegun.stream {}
  for key in 0..<times { try! await executor.enqueue(for: key) { await work(counter) } }
  other.continuation.finish()
  try! await task.value
  precondition(counter.count == times)
}

/// Each call is for two other keys.
private func runTwoKeys(_ times: Int) async {
  let (executor, counter) = (KeyedSerialTaskExecutor<Int>(), Counter())
  for key in 0..<times { try! await executor.enqueue(touching: [key, -key - 1]) { await work(counter) } }
  precondition(counter.count == times)
}

private func runFreeRead(_ times: Int) async {
  let repository = CoalescingTaskExecutor<Int>()
  for _ in 0..<times { _ = try! await repository.read(7) { await operation() } }
}

private func runFreeLineLimited(_ times: Int) async {
  let (executor, counter) = (SerialTaskExecutor(), Counter())
  for _ in 0..<times { try! await executor.enqueue(waitingAtMost: .seconds(1)) { await work(counter) } }
  precondition(counter.count == times)
}

private func runFreeKeyLimited(_ times: Int) async {
  let (executor, counter) = (KeyedSerialTaskExecutor<Int>(), Counter())
  for key in 0..<times { try! await executor.enqueue(for: key, waitingAtMost: .seconds(1)) { await work(counter) } }
  precondition(counter.count == times)
}

private func runFreeWriteLimited(_ times: Int) async {
  let (repository, counter) = (CoalescingTaskExecutor<Int>(), Counter())
  for _ in 0..<times { try! await repository.write(waitingAtMost: .seconds(1)) { await work(counter) } }
  precondition(counter.count == times)
}

/// A key whose description takes long to make.
private struct LongKey: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  var description: String { (0..<200).map { String(number + $0) }.joined(separator: " ") }
}

/// Events are reported, and what is told reads no keys.
private func runFreeKeyReported<Key: Hashable & Sendable>(_ times: Int, _ key: (Int) -> Key) async {
  let counter = Counter()
  let events = Mutex(0)
  let executor = KeyedSerialTaskExecutor<Key> { _ in events.withLock { $0 += 1 } }
  for number in 0..<times { try! await executor.enqueue(for: key(number)) { await work(counter) } }
  precondition(counter.count == times && events.withLock { $0 } == 2 * times)
}

private func runLead(_ times: Int) async {
  let coalescer = TaskCoalescer<Int, Int>()
  for _ in 0..<times { _ = try! await coalescer.value(for: 7) { await operation() } }
}

/// All board one flight, which lands when the last has arrived.
private func runJoin(_ times: Int) async {
  let (coalescer, door) = (TaskCoalescer<Int, Int>(), Door(opensAfter: times))
  await withTaskGroup { group in
    for _ in 0..<times {
      group.addTask {
        door.arrive()
        _ = try! await coalescer.value(for: 7) {
          await door.pass()
          return 42
        }
      }
    }
  }
}

/// All wait until the last is submitted.
private func runSubmit(_ times: Int) async {
  let executor = SerialTaskExecutor()
  executor.pause()
  for _ in 0..<times { executor.submit { _ = await operation() } }
  executor.resume()
  try! await executor.drain()
}

private func runSubmitDetached(_ times: Int) async {
  let executor = SerialTaskExecutor()
  executor.pause()
  for _ in 0..<times { executor.submitDetached { _ = await operation() } }
  executor.resume()
  try! await executor.drain()
}

/// All jobs are of one key.
private func runSubmitKey(_ times: Int) async {
  let executor = KeyedSerialTaskExecutor<Int>()
  executor.pause()
  for _ in 0..<times { executor.submit(for: 7) { _ = await operation() } }
  executor.resume()
  try! await executor.drain()
}

private func runSubmitWrite(_ times: Int) async {
  let repository = CoalescingTaskExecutor<Int>()
  repository.pause()
  for _ in 0..<times { repository.submitWrite { _ = await operation() } }
  repository.resume()
  try! await repository.drain()
}

private func runSubmitDetachedKey(_ times: Int) async {
  let executor = KeyedSerialTaskExecutor<Int>()
  executor.pause()
  for _ in 0..<times { executor.submitDetached(for: 7) { _ = await operation() } }
  executor.resume()
  try! await executor.drain()
}

/// All callers are of one key.
private func runHandOverKey(_ times: Int, handsOver: Bool) async {
  let executor = KeyedSerialTaskExecutor<Int>()
  executor.pause()
  let callers = (0..<times).map { _ in Task.immediate { _ = try! await executor.enqueue(for: 7) { await operation() } }
  }
  precondition(executor.snapshot.waiting == times)
  guard handsOver else { return keep(executor) }
  executor.resume()
  for caller in callers { await caller.value }
}

/// All callers write every key, or this one.
private func runHandOverWrite(_ times: Int, touching key: Int?, handsOver: Bool) async {
  let repository = CoalescingTaskExecutor<Int>()
  repository.pause()
  // Two closures, each with the frame of one call.
  let callers = (0..<times).map { _ in
    if let key {
      Task.immediate { _ = try! await repository.write(touching: [key]) { await operation() } }
    } else {
      Task.immediate { _ = try! await repository.write { await operation() } }
    }
  }
  precondition(repository.snapshot.waiting == times)
  guard handsOver else { return keep(repository) }
  repository.resume()
  for caller in callers { await caller.value }
}

/// Callers park one after the other, and then each hands its turn to the next.
private func runHandOver(_ times: Int, handsOver: Bool) async {
  let executor = SerialTaskExecutor()
  executor.pause()
  let callers = (0..<times).map { _ in Task.immediate { _ = try! await executor.enqueue { await operation() } } }
  precondition(executor.snapshot.waiting == times)
  guard handsOver else { return keep(executor) }
  executor.resume()
  for caller in callers { await caller.value }
}
