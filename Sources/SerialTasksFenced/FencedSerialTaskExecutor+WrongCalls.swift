extension FencedSerialTaskExecutor {
  /// Shows that the key needs a label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { fence in … }")
  @_alwaysEmitIntoClient public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }
}
