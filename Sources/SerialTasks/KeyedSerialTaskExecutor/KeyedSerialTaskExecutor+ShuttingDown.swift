// MARK: - Shutting down

extension KeyedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Like ``SerialTaskExecutor/shutDown(within:)``, for the jobs of all keys.
  ///
  /// - Parameter limit: The time that accepted jobs have, on the executor's clock. `.zero` or less ends them now.
  /// - Returns: Whether everything ended on its own in time; see ``Drainable/shutDown(within:)``.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await line.shutDown(within: limit)
  }

  /// Shuts down like ``shutDown(within:)``; `withdraw` is called when the limit has passed, with what withdraws the jobs.
  package nonisolated(nonsending) func shutDown(
    within limit: Duration, withdrawing withdraw: (() -> Void) -> Void
  ) async -> Bool {
    await line.shutDown(within: limit, withdrawing: withdraw)
  }

  /// Whether the calling code runs in a job of any key.
  package var isInJobOfAnyKey: Bool { HeldTurn.isInside(line) }
}

extension KeyedSerialTaskExecutor: EndsAtOnce {
  @usableFromInline package nonisolated var interruptions: Int { line.interruptions }
  @usableFromInline package nonisolated func endAtOnce() -> () -> Void { line.endAtOnce() }
}
