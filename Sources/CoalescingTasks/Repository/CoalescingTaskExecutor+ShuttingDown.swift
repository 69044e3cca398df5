extension CoalescingTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Then waiting jobs are rejected with `JobRejection.withdrawn`. Running reads and submitted writes are cancelled; a
  /// running ``write(name:waitingAtMost:_:)`` is cancelled with its *caller's own task*, which stays cancelled.
  /// Otherwise like `SerialTaskExecutor.shutDown(within:)`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await line.shutDown(within: limit)
  }
}

extension CoalescingTaskExecutor: EndsAtOnce {
  @usableFromInline package nonisolated var interruptions: Int { line.interruptions }
  @usableFromInline package nonisolated func endAtOnce() -> () -> Void { line.endAtOnce() }
}
