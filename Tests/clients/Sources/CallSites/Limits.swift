import CoalescingTasks

// Limits on waiting, and shutting down.

enum BusyError: Error { case busy(JobRejection) }

nonisolated func impatient(_ line: SerialTaskExecutor) async throws {
  do { try await line.enqueue(waitingAtMost: .seconds(2)) { print("in time") } } catch JobRejection.late {
    print("too late, and it never ran")
  }
  await line.shutDown(within: .seconds(10))
}

nonisolated func typed(_ line: SerialTaskExecutor) async throws(BusyError) -> Int {
  try await line.enqueue(name: "count", waitingAtMost: .zero, rejectedAs: BusyError.busy) {
    () async throws(BusyError) in 1
  }
}

nonisolated func keys(_ bank: KeyedSerialTaskExecutor<String>) async throws {
  try await bank.enqueue(for: "ann", waitingAtMost: .seconds(1)) {}
  let moved = try await bank.enqueue(forAll: ["ann", "bob"], name: "transfer", waitingAtMost: .seconds(1)) { 10 }
  print(moved)
  let inTime = await bank.shutDown(within: .seconds(10))
  print(inTime)
}

// A busy key, and a full executor.
nonisolated func status(_ why: JobRejection) -> Int {
  switch why {
  case .keyFull(let capacity): capacity > 0 ? 429 : 0
  case .full, .late: 503
  default: why == .keyFull(capacity: 1) ? 429 : 500
  }
}

// One call, with a limit or without.
nonisolated func perhapsLimited(
  _ line: SerialTaskExecutor, _ bank: KeyedSerialTaskExecutor<String>, _ notes: CoalescingTaskExecutor<Int>,
  _ limit: Duration?
) async throws {
  try await line.enqueue(waitingAtMost: limit) {}
  try await bank.enqueue(for: "ann", waitingAtMost: limit) {}
  try await bank.enqueue(forAll: ["ann", "bob"], waitingAtMost: limit) {}
  try await notes.write(waitingAtMost: limit) {}
  try await notes.write(touching: [1], waitingAtMost: limit) {}
  _ = try await notes.read(1, waitingAtMost: limit) { 1 }
}

@MainActor final class LimitedModel {
  let notes = CoalescingTaskExecutor<Int>(name: "notes")
  var shown: [Int: String] = [:]

  func save(_ text: String, as id: Int) async throws {
    try await notes.write(touching: [id], waitingAtMost: .seconds(2)) { shown[id] = text }
    try await notes.write(waitingAtMost: .seconds(2)) { shown[id] = text }
  }

  func load(_ id: Int) async throws -> String { try await notes.read(id, waitingAtMost: .seconds(2)) { "note \(id)" } }

  func logOut(_ profiles: TaskCoalescer<Int, String>) async {
    let parts: [any Drainable] = [notes, profiles]
    for part in parts { part.close() }
    for part in parts { await part.shutDown(within: .seconds(10)) }
  }
}
