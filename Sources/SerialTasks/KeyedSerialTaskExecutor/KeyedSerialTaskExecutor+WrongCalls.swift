// What callers write at first. None of it exists: each leads to the call that does.

extension KeyedSerialTaskExecutor {
  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: submit(for: key) { … }")
  public func submit<Success: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }
}
