extension KeyedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Like ``SerialTaskExecutor/shutDown(within:)``, for the jobs of all keys.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }

  package func beginShutDown(
    hasTime: Bool, withdrawing: @escaping @Sendable () -> @Sendable () -> Void
  ) -> BegunShutDown { line.beginShutDown(hasTime: hasTime, withdrawing: withdrawing) }

  package var isInJobOfAnyKey: Bool { HeldTurn.isInside(line) }
}

extension KeyedSerialTaskExecutor: ShutsDown {
  @usableFromInline
  package nonisolated func beginShutDown(hasTime: Bool) -> BegunShutDown { line.beginShutDown(hasTime: hasTime) }
}
