extension FencedSerialTaskExecutor: Drainable {
  /// Closes the executor, waits for accepted jobs and the release of access, and ends the rest when the limit has
  /// passed.
  ///
  /// Then jobs that wait for their turn or for access are rejected with `JobRejection.withdrawn`, and requests for
  /// access are cancelled. A job or an engine that ignores its cancellation is still awaited: when this call returns,
  /// this process has access to no key. Otherwise like `SerialTaskExecutor.shutDown(within:)`, but O(jobs).
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }
}

extension FencedSerialTaskExecutor: ShutsDown {
  @usableFromInline
  package func beginShutDown(hasTime: Bool) -> BegunShutDown {
    desk.close()
    let start = clock.now
    let begun = lines.line.beginShutDown(hasTime: hasTime) { [desk] in desk.markWithdrawn() }
    let rest = ShutDown(hasTime: begun.rest.hasTime) { [self, jobs = begun.rest] limit in
      let haveJobsEnded = await jobs.end(limit)
      if HeldTurn.isInside(lines.line) { return false }
      let isAccessBack = await desk.requests.shutDown(within: limit - (clock.now - start))
      return haveJobsEnded && (isAccessBack || !hasTime)
    }
    return (rest, begun.carryOut)
  }
}
