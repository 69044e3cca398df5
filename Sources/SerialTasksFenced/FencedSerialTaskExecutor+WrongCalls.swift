import SerialTasks

// What callers write at first. None of it exists: each leads to the call that does.

extension FencedSerialTaskExecutor {
  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { fence in … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }
}
