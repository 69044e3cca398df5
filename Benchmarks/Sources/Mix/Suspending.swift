import ByHand
import CoalescingTasks

/// A way for callers whose jobs suspend once.
///
/// All callers come at once, and share a line, a repository, or a hundred keys.
package enum Suspending: Sendable {
  case line, key, write, submit
  /// As people write it by hand.
  case semaphore, semaphores, chain
  /// What is in each of them: tasks that yield once.
  case nothing

  package func run(_ count: Int) async {
    switch self {
    case .line:
      let executor = SerialTaskExecutor()
      await crowd(count) { _ in try! await executor.enqueue { await Task.yield() } }
    case .key:
      let executor = KeyedSerialTaskExecutor<Int>()
      await crowd(count) { number in try! await executor.enqueue(for: number % 100) { await Task.yield() } }
    case .write:
      let repository = CoalescingTaskExecutor<Int>()
      await crowd(count) { _ in try! await repository.write { await Task.yield() } }
    case .submit:
      let executor = SerialTaskExecutor()
      for _ in 0..<count { executor.submit { await Task.yield() } }
      try! await executor.drain()
    case .semaphore:
      let semaphore = Semaphore()
      await crowd(count) { _ in
        try! await semaphore.wait()
        await Task.yield()
        semaphore.signal()
      }
    case .semaphores:
      let semaphores = Semaphores()
      await crowd(count) { number in
        let semaphore = semaphores[number % 100]
        try! await semaphore.wait()
        await Task.yield()
        semaphore.signal()
      }
    case .chain:
      let chain = TaskChain()
      for _ in 1..<count { chain.append { await Task.yield() } }
      await chain.append { await Task.yield() }.value
    case .nothing: await crowd(count) { _ in await Task.yield() }
    }
  }
}

/// So many callers at once, each of which makes one call.
package func crowd(_ count: Int, _ call: @escaping @Sendable (Int) async -> Void) async {
  await withTaskGroup { group in
    for number in 0..<count { group.addTask { await call(number) } }
  }
}
