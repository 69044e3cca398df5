import CoalescingTasks

// What `Tests/explore` needs of the library besides what everyone has. It is a package of its own, so it cannot see what has
// `package` access. `@_spi(Testing)` is no API: a client does not see it unless it asks, and it may change in any version.

@_spi(Testing) extension OrderRecorder {
  /// Runs the body, and notes what its tasks ask for.
  public nonisolated(nonsending) func watch<Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Void
  ) async throws(Failure) { try await OrderWatches.run(self, body) }
}

@_spi(Testing) extension KeyedSerialTaskExecutor {
  /// The number of keys that jobs touch, and of keys that the table has room for.
  public var table: (busy: Int, capacity: Int) { size }
}

@_spi(Testing) extension TaskCoalescer {
  /// The number of results that are kept, including those that have expired and not been cleared away.
  public var shelf: Int { shelved }
}
