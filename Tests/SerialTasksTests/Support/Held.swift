import CoalescingTasks

/// A turn that a job has until the test releases it.
struct Held<Executor: Sendable>: Sendable {
  let executor: Executor
  private let gate = Gate()
  private let holder: Task<Void, any Error>

  /// Returns when the job that holds the turn runs.
  init(
    of executor: Executor, _ call: @escaping @Sendable (@escaping @Sendable () async -> Void) async throws -> Void
  ) async {
    self.executor = executor
    let gate = gate
    holder = Task.immediate { try await call { await gate.pass() } }
    await gate.waitForArrivals()
  }

  /// Ends the job, and returns when its caller has.
  func release() async throws {
    gate.open()
    try await holder.value
  }
}

extension Held where Executor == SerialTaskExecutor {
  init(_ executor: SerialTaskExecutor = SerialTaskExecutor(name: "held")) async {
    await self.init(of: executor) { try await executor.enqueue(name: "holder", $0) }
  }
}

extension Held {
  init<Key>(_ executor: Executor, _ key: Key) async where Executor == KeyedSerialTaskExecutor<Key> {
    await self.init(of: executor) { try await executor.enqueue(for: key, name: "holder", $0) }
  }

  init<Key>(reading executor: Executor, _ key: Key) async where Executor == CoalescingTaskExecutor<Key> {
    await self.init(of: executor) { try await executor.read(key, name: "held", $0) }
  }

  init<Key>(writing executor: Executor) async where Executor == CoalescingTaskExecutor<Key> {
    await self.init(of: executor) { try await executor.write(name: "held", $0) }
  }
}

// Each of these calls in a task of its own, which has its place or has joined when it returns: `Task.immediate` runs to the first
// suspension, and a place is taken before that.

func waiting<Success: Sendable>(
  _ executor: SerialTaskExecutor, name: String? = nil, priority: TaskPriority? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate(priority: priority) { try await executor.enqueue(name: name, job) }
}

func waiting<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: KeyedSerialTaskExecutor<Key>, _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate(priority: priority) { try await executor.enqueue(for: key, name: name, job) }
}

func waiting<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: KeyedSerialTaskExecutor<Key>, touching keys: [Key], name: String? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate { try await executor.enqueue(touching: keys, name: name, job) }
}

func reading<Key: Hashable & Sendable, Value: Sendable>(
  _ executor: CoalescingTaskExecutor<Key>, _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
  _ operation: @escaping @Sendable () async throws -> Value
) -> Task<Value, any Error> {
  Task.immediate(priority: priority) { try await executor.read(key, name: name, operation) }
}

func writing<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: CoalescingTaskExecutor<Key>, touching keys: [Key]? = nil, name: String? = nil,
  priority: TaskPriority? = nil, _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate(priority: priority) {
    guard let keys else { return try await executor.write(name: name, job) }
    return try await executor.write(touching: keys, name: name, job)
  }
}

extension CoalescingTaskExecutor {
  /// How many jobs wait and how many reads run, where no write does.
  var counts: [Int] { [snapshot.waiting, snapshot.running] }
}
