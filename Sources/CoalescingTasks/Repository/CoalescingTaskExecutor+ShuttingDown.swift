// MARK: - Shutting down

extension CoalescingTaskExecutor: Drainable {
  /// Closes the executor, lets what was accepted end, and ends the rest when the limit has passed.
  ///
  /// Later jobs are rejected with ``JobRejection/closed``. When the limit has passed, what still waits is rejected with
  /// ``JobRejection/withdrawn``, and what runs is cancelled: a submitted job and a read with the task that was made for it, any
  /// other job with the *caller's own task*, which stays cancelled afterwards. A job that does not react to that is waited for
  /// all the same: when this call returns, no job runs and none can begin.
  ///
  /// - **Order:** all callers of `shutDown(within:)` and `drain()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, the limit counts as passed. This call then still
  ///   waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, this call cannot wait for that job. It ends all other jobs as if the limit had
  ///   passed, cancels the calling task with its own job, and returns `false` without waiting.
  /// - **Priority:** raises what it waits for, as `drain()` does.
  /// - **Complexity:** that of `drain()`, and O(waiting jobs) when the limit has passed.
  ///
  /// A pause goes on: jobs that wait for its end are withdrawn when the limit has passed.
  ///
  /// - Parameter limit: How long what was accepted may take, on the executor's clock. `.zero` or less ends it now.
  /// - Returns: Whether all of it ended by itself, in time; see ``Drainable/shutDown(within:)``.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await line.shutDown(within: limit)
  }
}

extension CoalescingTaskExecutor: EndsAtOnce {
  @usableFromInline package nonisolated var interruptions: Int { line.interruptions }
  @usableFromInline package nonisolated func endAtOnce() -> () -> Void { line.endAtOnce() }
}
