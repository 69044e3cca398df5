import ByHand
import CoalescingTasks

// Where callers really wait: each job suspends once. All callers come at once, and share a line, a repository, or a hundred keys.

func crowd(_ count: Int, _ call: @escaping @Sendable (Int) async -> Void) async {
  await withTaskGroup { group in
    for number in 0..<count { group.addTask { await call(number) } }
  }
}

func runSuspending(_ times: Int) async {
  let executor = SerialTaskExecutor()
  await crowd(times) { _ in try! await executor.enqueue { await Task.yield() } }
}

func runSuspendingKey(_ times: Int) async {
  let executor = KeyedSerialTaskExecutor<Int>()
  await crowd(times) { number in try! await executor.enqueue(for: number % 100) { await Task.yield() } }
}

func runSuspendingWrite(_ times: Int) async {
  let repository = CoalescingTaskExecutor<Int>()
  await crowd(times) { _ in try! await repository.write { await Task.yield() } }
}

func runSuspendingSubmit(_ times: Int) async {
  let executor = SerialTaskExecutor()
  for _ in 0..<times { executor.submit { await Task.yield() } }
  try! await executor.drain()
}

func runSuspendingSemaphore(_ times: Int) async {
  let semaphore = Semaphore()
  await crowd(times) { _ in
    try! await semaphore.wait()
    await Task.yield()
    semaphore.signal()
  }
}

func runSuspendingSemaphores(_ times: Int) async {
  let semaphores = Semaphores()
  await crowd(times) { number in
    let semaphore = semaphores[number % 100]
    try! await semaphore.wait()
    await Task.yield()
    semaphore.signal()
  }
}

func runSuspendingChain(_ times: Int) async {
  let chain = TaskChain()
  for _ in 1..<times { chain.append { await Task.yield() } }
  await chain.append { await Task.yield() }.value
}
