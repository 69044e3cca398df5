extension SerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs, and ends the rest when the limit has passed.
  ///
  /// Then waiting jobs are rejected with ``JobRejection/withdrawn``, and the running job is cancelled: a submitted job
  /// with its own task, any other job with its *caller's task*, which stays cancelled. A job that ignores its
  /// cancellation is still awaited: when this call returns, no job runs, none can begin, and the completion handlers
  /// have been called. A pause continues: the jobs that it holds back are withdrawn when the limit has passed.
  ///
  /// - **Order:** callers of `shutDown(within:)` and `drain()` that wait for the same last job are resumed together.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, it counts as if the limit had passed. This
  ///   call still waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call ends all other jobs as if the limit had passed, cancels the calling task
  ///   with its own job, and returns `false` without waiting.
  /// - **Priority:** as for ``drain()``.
  /// - **Complexity:** as for ``drain()``, and O(waiting jobs) when the limit has passed.
  ///
  /// - Parameter limit: The time that accepted jobs have, on the executor's clock. `.zero` or less ends them now.
  /// - Returns: Whether everything ended on its own in time; see ``Drainable/shutDown(within:)``.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }
}

extension SerialTaskExecutor: ShutsDown {
  @usableFromInline
  package nonisolated func beginShutDown(hasTime: Bool) -> BegunShutDown { line.beginShutDown(hasTime: hasTime) }
}
