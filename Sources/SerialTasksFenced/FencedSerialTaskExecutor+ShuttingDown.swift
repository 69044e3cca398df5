extension FencedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs and the release of access, and ends the rest when the limit has
  /// passed.
  ///
  /// Then jobs that wait for their turn or for access are rejected with `JobRejection.withdrawn`, and requests for
  /// access are cancelled. A job or an engine that ignores its cancellation is still awaited: when this call returns,
  /// this process has access to no key. Otherwise like `SerialTaskExecutor.shutDown(within:)`, but O(jobs).
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
