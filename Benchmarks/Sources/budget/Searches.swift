import CoalescingTasks

// What looks through jobs, keys, callers or flights, mostly under a lock: for each of so many of them, the processor time must not
// depend on how many there are.

/// Each is timed for 8 000 against 1 000, and for 64 000 against 8 000.
var searches: [BudgetLine] {
  let all: [(title: String, run: (Int) async -> Double)] = [
    ("a deadlock is named, over jobs", namedDeadlock), ("cancelAll(), jobs of two keys", withdrawing),
    ("a key set ends, jobs wait for each", endOfKeySet), ("callers leave a flight", { await leavers(flights($0)) }),
    ("callers leave a read", { await leavers(reads($0)) }),
    ("callers leave a renewal", { await leavers(renewals($0)) }),
    ("cancel(_:), callers wait", withdrawnCallers), ("cancel(_:), invalidated ones run", withdrawnKeys),
    ("callers leave drain() of flights", leavingDrains), ("a turn waits in many tasks", waitsOfOneTurn),
    ("WaitReport, executors", reported), ("parts shut down together", shutDown),
  ]
  return [(8_000, 1_000), (64_000, 8_000)].flatMap { many, few in all.map { line($0.title, many, few, $0.run) } }
    // Each end looks at all callers of `drain()`, of which there are never many.
    + [
      line("flights end, all are drained", 8_000, 1_000, limit: nil, drainedFlights),
      line("jobs end, all are drained", 8_000, 1_000, limit: nil, drainedJobs),
    ]
}

private func line(
  _ title: String, _ many: Int, _ few: Int, limit: Double? = 2, _ run: @escaping (Int) async -> Double
) -> BudgetLine {
  BudgetLine(
    title: "\(title), \(many)", floorTitle: "\(few)", limit: limit, subject: { await run(many) },
    floor: { await run(few) })
}

/// A running job awaits the last of so many jobs of two keys, which wait behind it.
private func namedDeadlock(behind count: Int) async -> Double {
  let keys = KeyedSerialTaskExecutor<Int>()
  let last = AsyncStream<SubmittedJob<Void>>.makeStream()
  let running = keys.submit(for: 0) {
    for await job in last.stream {
      return await cpuNanoseconds(per: count) {
        do { try await job.value } catch { _ = "\(error)" }
      }
    }
    return 0
  }
  for key in 1...count {
    let job = keys.submit(touching: [key - 1, key]) {}
    if key == count { last.continuation.yield(job) }
  }
  let time = try! await running.value
  keys.cancelAll()
  return time
}

private func withdrawing(_ count: Int) async -> Double {
  let (keys, gate) = (KeyedSerialTaskExecutor<Int>(), Latch())
  keys.submit(for: 0) { await gate.pass() }
  for key in 1...count { keys.submit(touching: [key - 1, key]) {} }
  let time = await cpuNanoseconds(per: count) { keys.cancelAll() }
  gate.open()
  try! await keys.drain()
  return time
}

private func endOfKeySet(_ count: Int) async -> Double {
  let (keys, gate) = (KeyedSerialTaskExecutor<Int>(), Latch())
  keys.submit(touching: 0..<count) { await gate.pass() }
  for key in 0..<count { keys.submitDetached(for: key) {} }
  return await cpuNanoseconds(per: count) {
    gate.open()
    try! await keys.drain()
  }
}

// MARK: - Callers

extension Latch {
  /// Waits also in a task that is cancelled.
  fileprivate func passCancelled() async { await Task { await pass() }.value }
}

/// Tasks that wait for one operation, and what ends that.
private struct Waiting {
  let tasks: [Task<Void, any Error>]
  let gate: Latch

  init(_ count: Int, _ gate: Latch, _ ask: @escaping @Sendable () async throws -> Void) {
    (tasks, self.gate) = ((0..<count).map { _ in .immediate(operation: ask) }, gate)
  }
}

private func flights(_ count: Int) -> Waiting {
  let (flights, gate) = (TaskCoalescer<Int, Void>(), Latch())
  return Waiting(count, gate) { try await flights.value(for: 7) { await gate.passCancelled() } }
}

private func reads(_ count: Int) -> Waiting {
  let (notes, gate) = (CoalescingTaskExecutor<Int>(), Latch())
  return Waiting(count, gate) { try await notes.read(7) { await gate.passCancelled() } }
}

private func renewals(_ count: Int) -> Waiting {
  let gate = Latch()
  let token = RenewingValue<Void> { _ in
    await gate.passCancelled()
    return Renewed((), validFor: .seconds(60))
  }
  return Waiting(count, gate) { try await token.value() }
}

private func leavers(_ waiting: Waiting) async -> Double {
  let time = await cpuNanoseconds(per: waiting.tasks.count) {
    for task in waiting.tasks.reversed() { task.cancel() }
    for task in waiting.tasks { _ = await task.result }
  }
  waiting.gate.open()
  return time
}

private func withdrawnCallers(_ count: Int) async -> Double {
  let (flights, gate) = (TaskCoalescer<Int, Void>(), Latch())
  let waiting = Waiting(count, gate) { try await flights.value(for: 7) { await gate.passCancelled() } }
  let time = await cpuNanoseconds(per: count) { flights.cancel(7) }
  for task in waiting.tasks { _ = await task.result }
  gate.open()
  return time
}

private func withdrawnKeys(_ count: Int) async -> Double {
  let (flights, gate) = (TaskCoalescer<Int, Void>(), Latch())
  for key in 0..<count { flights.prefetch(key, expiresAfter: .seconds(60)) { await gate.passCancelled() } }
  flights.invalidateAll()
  let time = await cpuNanoseconds(per: count) { for key in 0..<count { flights.cancel(key) } }
  gate.open()
  try! await flights.drain()
  return time
}

// MARK: - Drains

private func leavingDrains(_ count: Int) async -> Double {
  let (flights, gate) = (TaskCoalescer<Int, Void>(), Latch())
  flights.prefetch(7, expiresAfter: .seconds(60)) { await gate.passCancelled() }
  return await leavers(Waiting(count, gate) { try await flights.drain() })
}

/// Each of so many operations is drained as soon as it has begun.
private func drainedFlights(_ count: Int) async -> Double {
  let (flights, gate) = (TaskCoalescer<Int, Void>(), Latch())
  let tasks = (0..<count).map { key in
    flights.prefetch(key, expiresAfter: .seconds(60)) { await gate.passCancelled() }
    return Task.immediate { try await flights.drain() }
  }
  return await cpuNanoseconds(per: count) {
    gate.open()
    for task in tasks { try! await task.value }
  }
}

private func drainedJobs(_ count: Int) async -> Double {
  let (line, gate) = (SerialTaskExecutor(), Latch())
  line.submit { await gate.passCancelled() }
  let tasks = (0..<count).map { _ in
    line.submitDetached {}
    return Task.immediate { try await line.drain() }
  }
  return await cpuNanoseconds(per: count) {
    gate.open()
    for task in tasks { try! await task.value }
  }
}

// MARK: - All at once

/// So many child tasks of one job wait for another executor.
private func waitsOfOneTurn(_ count: Int) async -> Double {
  let (outer, inner, gate) = (SerialTaskExecutor(), SerialTaskExecutor(), Latch())
  inner.submit { await gate.pass() }
  return await cpuNanoseconds(per: count) {
    try! await outer.enqueue {
      await withTaskGroup { group in
        for _ in 0..<count { group.addTask { try! await inner.enqueue {} } }
        while inner.snapshot.waiting < count { await Task.yield() }
        gate.open()
      }
    }
  }
}

private func reported(_ count: Int) async -> Double {
  let gate = Latch()
  let executors = (0..<count).map { _ in SerialTaskExecutor() }
  for executor in executors {
    executor.submit { await gate.pass() }
    executor.submitDetached {}
  }
  let time = await cpuNanoseconds(per: count) { _ = WaitReport.current.description }
  gate.open()
  for executor in executors { try! await executor.drain() }
  return time
}

private func shutDown(_ count: Int) async -> Double {
  let executors = (0..<count).map { _ in SerialTaskExecutor() }
  for executor in executors {
    executor.pause()
    executor.submitDetached {}
  }
  return await cpuNanoseconds(per: count) { await executors.shutDown(within: .zero) }
}
