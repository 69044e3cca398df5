import SerialTasks

// What callers write at first. None of it exists: each leads to the call that does.

extension FencedSerialTaskExecutor {
  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { fence in … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key by another label.
  @available(*, unavailable, message: "the label of the key is for: enqueue(for: key) { fence in … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    key: Key, name: String? = nil, _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: submit(for: key) { fence in … }")
  public func submit<Success: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) (Fence) async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }
}
