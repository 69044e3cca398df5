import CHeap
import CoalescingTasks
import Dispatch

/// Bytes that the allocator counts for each of `count` operations.
private func bytes(per count: Int, _ body: () -> Void) -> Int {
  let before = heap_bytes_in_use()
  body()
  return Int((Double(heap_bytes_in_use() - before) / Double(count)).rounded())
}

func report(_ what: String, _ bytes: Int, limit: Int? = nil) {
  print(
    padded("  " + what, 38), padded("\(bytes)", 9), limit.map { "\(bytes <= $0 ? "holds" : "MISSED") ≤ \($0)" } ?? "")
}

/// Prints what a job takes while it waits, and an executor that does nothing.
func printBytes() async {
  await printJobs()
  await printFrames()
  printExecutors()
}

private func printJobs() async {
  let count = 20_000
  let (executor, keyed) = (SerialTaskExecutor(), KeyedSerialTaskExecutor<Int>())
  let queue = DispatchQueue(label: "jobs")

  executor.pause()
  keyed.pause()
  let submitted = bytes(per: count) { for _ in 0..<count { executor.submit { await job() } } }
  let detached = bytes(per: count) { for _ in 0..<count { executor.submitDetached { await job() } } }
  let ofKeys = bytes(per: count) { for key in 0..<count { keyed.submitDetached(for: key % 100) { await job() } } }
  executor.resume()
  keyed.resume()
  try! await executor.drain()
  try! await keyed.drain()

  queue.suspend()
  let dispatched = bytes(per: count) { for _ in 0..<count { queue.async { synchronousJob() } } }
  queue.resume()
  await withUnsafeContinuation { done in queue.async { done.resume() } }

  print("\nbytes of a waiting job")
  report("submitDetached", detached, limit: 255)
  report("submitDetached(for:)", ofKeys, limit: 280)
  report("GCD, async on a serial queue", dispatched)
  report("submit", submitted)
}

private func printExecutors() {
  let count = 5_000
  // Kept in arrays that are there before, so that these do not count.
  var lines = [SerialTaskExecutor?](repeating: nil, count: count)
  var keyed = [KeyedSerialTaskExecutor<Int>?](repeating: nil, count: count)
  var repositories = [CoalescingTaskExecutor<Int>?](repeating: nil, count: count)
  var coalescers = [TaskCoalescer<Int, Int>?](repeating: nil, count: count)
  print("\nbytes of an executor that does nothing")
  report("SerialTaskExecutor", bytes(per: count) { for index in 0..<count { lines[index] = .init() } }, limit: 640)
  report("KeyedSerialTaskExecutor", bytes(per: count) { for index in 0..<count { keyed[index] = .init() } }, limit: 900)
  report(
    "CoalescingTaskExecutor", bytes(per: count) { for index in 0..<count { repositories[index] = .init() } },
    limit: 1_000)
  report("TaskCoalescer", bytes(per: count) { for index in 0..<count { coalescers[index] = .init() } }, limit: 560)
  withExtendedLifetime((lines, keyed, repositories, coalescers)) {}
}
