extension CoalescingTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Then waiting jobs are rejected with `JobRejection.withdrawn`. Running reads and submitted writes are cancelled; a
  /// running ``write(name:waitingAtMost:_:)`` is cancelled with its *caller's own task*, which stays cancelled.
  /// Otherwise like `SerialTaskExecutor.shutDown(within:)`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }
}

extension CoalescingTaskExecutor: ShutsDown {
  @usableFromInline
  package nonisolated func beginShutDown(hasTime: Bool) -> BegunShutDown { line.beginShutDown(hasTime: hasTime) }
}
