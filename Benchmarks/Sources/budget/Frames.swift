import CHeap
import CoalescingTasks

// How much memory of its task a call takes while it waits. The runtime gives a task about 900 bytes for the frames of its
// async functions, and allocates more when they need more.

/// A clock that is read where a caller parks, and notes how much of its task's memory is used there.
private final class Gauge: Clock, @unchecked Sendable {
  // Safe because everything is accessed by one task.
  private var start: UnsafeMutableRawPointer?
  private(set) var bytes = 0

  typealias Instant = ContinuousClock.Instant
  let minimumResolution = Duration.zero
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}

  var now: Instant {
    note()
    return .now
  }

  func note() {
    guard let start else { return }
    let end = task_allocate(16)!
    task_deallocate(end)
    bytes = max(bytes, end - start)
  }

  /// Makes a call that has to wait, when the task has enough memory in one piece.
  func measure(_ call: @Sendable () async -> Void) async {
    // The first fills a piece, so that what follows uses the next one, which has the size of the second.
    let filling = task_allocate(960)
    task_deallocate(task_allocate(8_192))
    let first = task_allocate(16)!
    start = first
    await call()
    start = nil
    task_deallocate(first)
    task_deallocate(filling)
  }
}

private func measure(_ gauge: Gauge, _ call: @escaping @Sendable () async -> Void, resume: () -> Void) async -> Int {
  let task = Task.immediate { await gauge.measure(call) }
  resume()
  await task.value
  return gauge.bytes
}

/// Prints how many bytes of its task a call takes while it waits, in addition to a suspended task's.
func printFrames() async {
  let gauges = (bare: Gauge(), line: Gauge(), keyed: Gauge(), repository: Gauge())
  let line = SerialTaskExecutor(clock: gauges.line)
  let keyed = KeyedSerialTaskExecutor<Int>(clock: gauges.keyed)
  let repository = CoalescingTaskExecutor<Int>(clock: gauges.repository)
  line.pause()
  keyed.pause()
  repository.pause()
  let suspended = await measure(gauges.bare) {
    await withUnsafeContinuation { next in
      gauges.bare.note()
      next.resume()
    }
  } resume: {
  }
  print("\nbytes of a task that a call takes while it waits")
  let ofLine = await measure(gauges.line) {
    try! await line.enqueue { await job() }
  } resume: {
    line.resume()
  }
  report("enqueue", ofLine - suspended)
  let ofKey = await measure(gauges.keyed) {
    try! await keyed.enqueue(for: 7) { await job() }
  } resume: {
    keyed.resume()
  }
  report("enqueue(for:)", ofKey - suspended)
  let ofWrite = await measure(gauges.repository) {
    try! await repository.write { await job() }
  } resume: {
    repository.resume()
  }
  report("write", ofWrite - suspended)
}
