extension TaskCoalescer {
  /// Shows that the key needs a label.
  @available(*, unavailable, message: "the key has a label: value(for: key) { … }")
  @_alwaysEmitIntoClient public nonisolated(nonsending) func value(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value { fatalError("unavailable") }
}
