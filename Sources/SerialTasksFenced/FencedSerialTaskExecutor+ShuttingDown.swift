// MARK: - Shutting down

extension FencedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs and the release of access, and ends the rest when the limit has passed.
  ///
  /// Then jobs that wait for their turn or for access are rejected with `JobRejection.withdrawn`, requests for access are
  /// cancelled, and running jobs are cancelled: a submitted job with its own task, any other job with its *caller's task*,
  /// which stays cancelled. A job or an engine that ignores its cancellation is still awaited: when this call returns, no
  /// job runs, none can begin, and this process has access to no key.
  ///
  /// - **Order:** callers of `shutDown(within:)` and `drain()` that wait for the same last job are resumed together.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, it counts as if the limit had passed. This
  ///   call still waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call ends all other jobs as if the limit had passed, cancels the calling task
  ///   together with its own job, and returns `false` without waiting for it.
  /// - **Complexity:** O(jobs).
  ///
  /// - Parameter limit: The time that accepted jobs have, on the executor's clock. `.zero` or less ends them now.
  /// - Returns: Whether everything ended on its own in time; see `Drainable.shutDown(within:)`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    let (start, hasTime) = (clock.now, limit > .zero && !Task.isCancelled)
    desk.close()
    let haveJobsEnded = await lines.shutDown(within: limit, withdrawing: { desk.withdraw(clear: $0) })
    if lines.isInJobOfAnyKey { return false }
    let isAccessBack = await desk.requests.shutDown(within: limit - (clock.now - start))
    return haveJobsEnded && (isAccessBack || !hasTime)
  }
}

extension FencedSerialTaskExecutor: EndsAtOnce {
  @usableFromInline package var interruptions: Int { lines.interruptions }

  @usableFromInline
  package func endAtOnce() -> () -> Void {
    desk.close()
    let wake = desk.markWithdrawn()
    let end = lines.endAtOnce()
    return {
      end()
      wake()
    }
  }
}
