import SerialTasks

/// A key whose turn is taken by a job that goes on when the test says so.
struct HeldKey<Key: Hashable & Sendable> {
  let executor: KeyedSerialTaskExecutor<Key>
  private let gate = Gate()
  private let holder: Task<Void, any Error>

  /// Returns when the job that holds the turn runs.
  init(_ executor: KeyedSerialTaskExecutor<Key>, _ key: Key) async {
    self.executor = executor
    let gate = gate
    holder = Task.immediate { try await executor.enqueue(for: key, name: "holder") { await gate.pass() } }
    await gate.arrived()
  }

  /// Ends the job, and returns when its caller has.
  func release() async throws {
    gate.open()
    try await holder.value
  }
}

/// Calls `enqueue` in a task of its own, which is in the line when this returns.
func waiting<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: KeyedSerialTaskExecutor<Key>, _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate(priority: priority) { try await executor.enqueue(for: key, name: name, job) }
}
