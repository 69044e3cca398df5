// MARK: - Shutting down

extension CoalescingTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Then waiting jobs are rejected with `JobRejection.withdrawn`. Running reads and submitted writes are cancelled; a
  /// running ``write(name:waitingAtMost:_:)`` is cancelled with its *caller's own task*, which stays cancelled. A job that
  /// ignores its cancellation is still awaited: when this call returns, no job runs and none can begin.
  ///
  /// Otherwise like `SerialTaskExecutor.shutDown(within:)`.
  ///
  /// - Parameter limit: The time that accepted jobs have, on the executor's clock. `.zero` or less ends them now.
  /// - Returns: Whether everything ended on its own in time; see `Drainable.shutDown(within:)`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await line.shutDown(within: limit)
  }
}

extension CoalescingTaskExecutor: EndsAtOnce {
  @usableFromInline package nonisolated var interruptions: Int { line.interruptions }
  @usableFromInline package nonisolated func endAtOnce() -> () -> Void { line.endAtOnce() }
}
