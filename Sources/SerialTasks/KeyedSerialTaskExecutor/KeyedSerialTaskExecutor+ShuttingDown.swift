extension KeyedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Like ``SerialTaskExecutor/shutDown(within:)``, for the jobs of all keys.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }
}

extension KeyedSerialTaskExecutor: ShutsDown {
  @usableFromInline
  package nonisolated func beginShutDown(hasTime: Bool) -> BegunShutDown { line.beginShutDown(hasTime: hasTime) }
}
