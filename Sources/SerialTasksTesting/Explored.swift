import CoalescingTasks

// For `Tests/explore`, a separate package. Not API: it may change in any version.

@_spi(Testing) extension OrderRecorder {
  /// Runs the body, and records the requests of its tasks.
  public nonisolated(nonsending) func watch<Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Void
  ) async throws(Failure) { try await OrderWatches.run(self, body) }
}

@_spi(Testing) extension KeyedSerialTaskExecutor {
  /// The number of keys with jobs, and the number of keys that the table has room for.
  public var table: (busy: Int, capacity: Int) { line.size }
}

@_spi(Testing) extension TaskCoalescer {
  /// The number of stored results, including expired ones that have not been removed.
  public var shelf: Int { shelved }
}
