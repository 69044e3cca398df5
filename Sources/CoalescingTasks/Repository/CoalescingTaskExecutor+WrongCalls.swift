// Common mistakes. Each overload is unavailable, and its message shows the right call.

extension CoalescingTaskExecutor {
  /// Shows that the keys of a write need a label.
  @available(
    *, unavailable, message: "a write names all keys that it touches, with a label: write(touching: [key]) { … }"
  )
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Shows that the keys of a write need a label.
  @available(
    *, unavailable, message: "a write names all keys that it touches, with a label: submitWrite(touching: [key]) { … }"
  )
  public func submitWrite<Success: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }
}
