import CoalescingTasks

/// Reads in a task of its own, which has its place or has joined when this returns: `Task.immediate` runs to the first
/// suspension, and a place is taken before that.
func reading<Key: Hashable & Sendable, Value: Sendable>(
  _ executor: CoalescingTaskExecutor<Key>, _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
  _ operation: @escaping @Sendable () async throws -> Value
) -> Task<Value, any Error> {
  Task.immediate(priority: priority) { try await executor.read(key, name: name, operation) }
}

/// Writes in a task of its own, which has its place when this returns.
func writing<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: CoalescingTaskExecutor<Key>, name: String? = nil, priority: TaskPriority? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate(priority: priority) { try await executor.write(name: name, job) }
}

/// A read or a write that has the turn, and goes on when the test says so.
struct HeldJob {
  private let gate: Gate
  private let holder: Task<Void, any Error>

  /// Returns when the read runs.
  static func reading<Key>(_ executor: CoalescingTaskExecutor<Key>, _ key: Key) async -> HeldJob {
    let gate = Gate()
    let job = HeldJob(
      gate: gate, holder: Task.immediate { try await executor.read(key, name: "held") { await gate.pass() } })
    await gate.arrived()
    return job
  }

  /// Returns when the write runs.
  static func writing<Key>(_ executor: CoalescingTaskExecutor<Key>) async -> HeldJob {
    let gate = Gate()
    let job = HeldJob(
      gate: gate, holder: Task.immediate { try await executor.write(name: "held") { await gate.pass() } })
    await gate.arrived()
    return job
  }

  /// Ends the job, and returns when its caller has.
  func release() async throws {
    gate.open()
    try await holder.value
  }
}

extension CoalescingTaskExecutor {
  /// How many jobs wait and how many reads run, where no write does.
  var counts: [Int] { [snapshot.waiting, snapshot.running] }
}
