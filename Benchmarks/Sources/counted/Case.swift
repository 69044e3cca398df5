import SerialTasks

/// What can be counted.
enum Case: String, CaseIterable {
  case freeLine = "free-line"
  case freeLineOnMainActor = "free-line-on-main-actor"
  case freeKey = "free-key"
  case freeWrite = "free-write"
  case busyKeys = "free-key-another-runs"
  case twoKeys = "two-keys"
  case freeRead = "free-read"
  case lead, submit

  func run(_ times: Int) async {
    switch self {
    case .freeLine: await runFreeLine(times, isolation: nil)
    case .freeLineOnMainActor: await runFreeLine(times, isolation: MainActor.shared)
    case .freeKey: await runFreeKey(times)
    case .freeWrite: await runFreeWrite(times)
    case .busyKeys: await runBusyKeys(times)
    case .twoKeys: await runTwoKeys(times)
    case .freeRead: await runFreeRead(times)
    case .lead: await runLead(times)
    case .submit: await runSubmit(times)
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
  for key in 0..<times { try! await executor.enqueue(forAll: [key, -key - 1]) { await work(counter) } }
  precondition(counter.count == times)
}

private func runFreeRead(_ times: Int) async {
  let repository = CoalescingTaskExecutor<Int>()
  for _ in 0..<times { _ = try! await repository.read(7) { await operation() } }
}

private func runLead(_ times: Int) async {
  let coalescer = TaskCoalescer<Int, Int>()
  for _ in 0..<times { _ = try! await coalescer.value(for: 7) { await operation() } }
}

/// All wait until the last is submitted.
private func runSubmit(_ times: Int) async {
  let executor = SerialTaskExecutor()
  executor.pause()
  for _ in 0..<times { executor.submit { _ = await operation() } }
  executor.resume()
  try! await executor.drain()
}
