extension KeyedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Like ``SerialTaskExecutor/shutDown(within:)``, for the jobs of all keys.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await line.shutDown(within: limit)
  }

  package nonisolated(nonsending) func shutDown(
    within limit: Duration, withdrawing withdraw: (() -> Void) -> Void
  ) async -> Bool {
    await line.shutDown(within: limit, withdrawing: withdraw)
  }

  package var isInJobOfAnyKey: Bool { HeldTurn.isInside(line) }
}

extension KeyedSerialTaskExecutor: EndsAtOnce {
  @usableFromInline package nonisolated var interruptions: Int { line.interruptions }
  @usableFromInline package nonisolated func endAtOnce() -> () -> Void { line.endAtOnce() }
}
