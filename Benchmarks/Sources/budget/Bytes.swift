import CHeap
import Dispatch
import SerialTasks

// MARK: - Bytes of a waiting job

/// Bytes that the allocator counts for each of `count` operations.
private func bytes(per count: Int, _ body: () -> Void) -> Double {
  let before = heap_bytes_in_use()
  body()
  return Double(heap_bytes_in_use() - before) / Double(count)
}

/// Prints what a job takes while it waits.
func printBytes() async {
  let count = 20_000
  let (executor, queue) = (SerialTaskExecutor(), DispatchQueue(label: "jobs"))

  executor.pause()
  let submitted = bytes(per: count) { for _ in 0..<count { executor.submit { await job() } } }
  let detached = bytes(per: count) { for _ in 0..<count { executor.submitDetached { await job() } } }
  executor.resume()
  try! await executor.drain()

  queue.suspend()
  let dispatched = bytes(per: count) { for _ in 0..<count { queue.async { synchronousJob() } } }
  queue.resume()
  await withUnsafeContinuation { done in queue.async { done.resume() } }

  print("\nbytes of a waiting job")
  print(padded("  submitDetached", 38), padded("\(Int(detached))", 9), "\(detached <= 200 ? "holds" : "MISSED") ≤ 200")
  print(padded("  GCD, async on a serial queue", 38), Int(dispatched))
  print(padded("  submit", 38), Int(submitted))
}
