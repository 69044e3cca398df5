import CoalescingTasks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

// What must not grow faster than the number of jobs that wait: each is measured for many jobs against few.

/// A repository with a write that runs, and jobs that wait behind it.
private struct Backlog {
  let notes = CoalescingTaskExecutor<Int>()
  private let gate = Latch()
  private let held: SubmittedJob<Void>

  init(_ fill: (CoalescingTaskExecutor<Int>) -> Void) {
    held = notes.submitWrite { [gate] in await gate.pass() }
    fill(notes)
  }

  func clear() async {
    notes.cancelAll()
    gate.open()
    _ = await held.result
    try! await notes.drain()
  }
}

/// Lets a task pass when it is opened.
final class Latch: Sendable {
  private let stream = AsyncStream<Void>.makeStream()

  func open() { stream.continuation.finish() }
  func pass() async { for await _ in stream.stream {} }
}

/// One urgent write behind so many reads, or writes, of low priority: for each of those.
func urgentWrite(behind count: Int, areReads: Bool) async -> Double {
  let backlog = Backlog { notes in
    for key in 0..<count {
      if areReads {
        notes.submitRead(key, priority: .background) {}
      } else {
        notes.submitWrite(touching: [key], priority: .background) {}
      }
    }
  }
  let time = await nanoseconds(per: count) { backlog.notes.submitWrite(priority: .high) {} }
  await backlog.clear()
  return time
}

/// One urgent `drain()` behind so many writes of low priority: for each of those, until the next call has the lock.
func urgentDrain(behind count: Int) async -> Double {
  let backlog = Backlog { notes in
    for key in 0..<count { notes.submitWrite(touching: [key], priority: .background) {} }
  }
  let time = await nanoseconds(per: count) {
    let drain = Task.immediate(priority: .high) { try await backlog.notes.drain() }
    _ = backlog.notes.snapshot
    drain.cancel()
  }
  await backlog.clear()
  return time
}

/// So many handles of writes that replaced each other, each awaited: for each.
func replacedHandles(_ count: Int) async -> Double {
  var handles: [SubmittedJob<Void>] = []
  let backlog = Backlog { notes in
    for _ in 0..<count { handles.append(notes.submitWrite(latest: 1, touching: [1]) {}) }
  }
  let time = await nanoseconds(per: count) {
    let tasks = handles.map { handle in Task.immediate { try await handle.value } }
    for task in tasks { task.cancel() }
  }
  await backlog.clear()
  return time
}

/// So many jobs, each with a key of its own in one executor, that wait for one key of another: for each, until it has its place.
func nestedWaiters(_ count: Int) async -> Double {
  let (own, shared) = (KeyedSerialTaskExecutor<Int>(), KeyedSerialTaskExecutor<Int>())
  let gate = Latch()
  let held = shared.submit(for: 0) { await gate.pass() }
  var tasks: [Task<Void, any Error>] = []
  let time = await nanoseconds(per: count) {
    for key in 0..<count {
      tasks.append(Task.immediate { try await own.enqueue(for: key) { try await shared.enqueue(for: 0) {} } })
    }
  }
  gate.open()
  for task in tasks { try! await task.value }
  try! await held.value
  return time
}

/// So many turns that are too long, with 20 jobs behind each: processor time for each, until all have been reported.
func longTurns(_ count: Int) async -> Double {
  let (reports, gate) = (AsyncStream<Void>.makeStream(), Latch())
  let keys = KeyedSerialTaskExecutor<Int>(reportsTurnsLongerThan: .milliseconds(50)) { event in
    if case .heldTooLong = event.kind { reports.continuation.yield() }
  }
  let begin = processorTime()
  for key in 0..<count {
    keys.submit(for: key) { await gate.pass() }
    for _ in 0..<20 { keys.submitDetached(for: key) {} }
  }
  var reported = 0
  for await _ in reports.stream {
    reported += 1
    if reported == count { break }
  }
  let used = processorTime() - begin
  keys.cancelAll()
  gate.open()
  try! await keys.drain()
  return used / Double(count)
}

/// What all threads of the process have used, in nanoseconds.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
