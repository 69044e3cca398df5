// What production sees, as its users write it: every line must compile, without a warning, in each CLIENT_MODE.
import CoalescingTasks

nonisolated func observed() -> SerialTaskExecutor {
  SerialTaskExecutor(name: "orders") { event in
    if let waited = event.waited { print(event.instant, waited) }
    if let ran = event.ran { print(ran, event.ahead ?? 0) }
  }
}

nonisolated func hung() {
  print(WaitReport.current)
  for executor in WaitReport.current.executors {
    print(executor.name, executor.holder ?? "-", executor.heldFor ?? .zero, executor.waiting.map(\.waited))
    print(executor.kind, executor.isHeld, executor.waiting.map { $0.name ?? "a job" })
  }
}

nonisolated func limited(_ clock: some Clock<Duration>) {
  _ = SerialTaskExecutor(
    name: "orders", capacity: 10, reportsTurnsLongerThan: .seconds(10), clock: clock
  ) { event in
    if case .heldTooLong(let waiting, let started) = event.kind { print("\(waiting) wait", started ?? "") }
  }
  _ = KeyedSerialTaskExecutor<String>(reportsTurnsLongerThan: .seconds(10)) { print($0) }
  _ = CoalescingTaskExecutor<String>(reportsTurnsLongerThan: .seconds(10)) { print($0) }
}

nonisolated func handTested() {
  let handler: @Sendable (TaskEvent) -> Void = { print($0) }
  handler(TaskEvent(kind: .began, executor: "orders", job: "ship", place: 1, instant: .now, waited: .seconds(1)))
  handler(TaskEvent(kind: .waiting, executor: "orders", ahead: 2))
  print(ExecutorSnapshot(waiting: 3, running: 1), CoalescerSnapshot(running: 1))
  print(RenewingSnapshot(), WaitReport(executors: []))
}

nonisolated func written(_ notes: CoalescingTaskExecutor<String>) async throws {
  try await notes.submitWrite(name: "all") { print("written") }.value
  notes.submitWrite(touching: ["a"], priority: .low) {}
  try await notes.write { notes.preconditionInJob("only in a turn") }
}

// Who and what, in an event.
nonisolated func report(_ event: TaskEvent) -> String {
  "\(event.executor) \(event.keys.joined(separator: ",")) \(event.job ?? "-")"
}
