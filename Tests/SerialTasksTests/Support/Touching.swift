import CoalescingTasks

/// Writes in a task of its own, which has its places when this returns.
func writing<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: CoalescingTaskExecutor<Key>, touching keys: [Key], name: String? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate { try await executor.write(touching: keys, name: name, job) }
}

/// Calls `enqueue` for several keys in a task of its own, which has its places when this returns.
func waiting<Key: Hashable & Sendable, Success: Sendable>(
  _ executor: KeyedSerialTaskExecutor<Key>, forAll keys: [Key], name: String? = nil,
  _ job: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
  Task.immediate { try await executor.enqueue(forAll: keys, name: name, job) }
}
