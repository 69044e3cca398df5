extension Reloader: Drainable {
  /// Rejects every later ``reload(_:)`` with `JobRejection.closed` and ignores every later ``request(_:)``.
  ///
  /// Loads that were requested before still run and are applied; to discard them, also call ``cancel()``. A closed reloader
  /// cannot be reopened. O(1).
  public func close() { carryOut(state.withLock { $0.loads.close() }) }

  /// Does what ``cancel()`` does.
  public func cancelAll() { cancel() }

  /// Returns when the loads that were requested before this call have ended, and their results are applied.
  ///
  /// To end a screen for good, call ``close()``, ``cancel()`` and then this method: no result is applied afterwards.
  ///
  /// Otherwise like ``TaskCoalescer/drain()``, with loads for operations.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the reloader, waits for the loads, and cancels them when the limit has passed.
  ///
  /// Like ``TaskCoalescer/shutDown(within:)``, with loads for operations.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }

  @usableFromInline
  package func shutDown(
    _ drainer: Caller, withdraws: Bool, after first: Caller?
  ) -> (ShutDownStep, FlightEffects<Boarded>?) {
    state.withLock { $0.loads.shutDown(drainer, withdraws: withdraws, after: first) }
  }
}
