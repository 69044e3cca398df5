extension KeyedSerialTaskExecutor {
  /// Shows that the key needs a label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { … }")
  @_alwaysEmitIntoClient public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Shows that the key needs a label.
  @available(*, unavailable, message: "the key has a label: submit(for: key) { … }")
  @_alwaysEmitIntoClient public func submit<Success: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }
}
