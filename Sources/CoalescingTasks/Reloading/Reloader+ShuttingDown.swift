extension Reloader: Drainable {
  /// Rejects every later ``reload(_:)`` with `JobRejection.closed` and ignores every later ``request(_:)``.
  ///
  /// Loads that were requested before still run and are applied; to discard them, also call ``cancel()``. A closed reloader
  /// cannot be reopened. O(1).
  public func close() { state.withLock { $0.loads.isClosed = true } }

  /// Does what ``cancel()`` does.
  public func cancelAll() { cancel() }

  /// Returns when the loads that were requested before this call have ended, and their results are applied.
  ///
  /// This includes cancelled loads. It does not wait for later ones, unless one replaces a load that it waits for. To end a
  /// screen for good, call ``close()``, ``cancel()`` and then this method: no result is applied afterwards.
  ///
  /// Otherwise like ``TaskCoalescer/drain()``, with loads for operations.
  ///
  /// - Throws: `CancellationError`, or `JobRejection.deadlock(_:)`.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the reloader, waits for the loads, and cancels them when the limit has passed.
  ///
  /// Then the results of the loads are discarded, and the callers that still wait are rejected with
  /// `JobRejection.withdrawn`. A load that ignores its cancellation is still awaited: when this call returns, no load
  /// runs and none can begin.
  ///
  /// Otherwise like ``TaskCoalescer/shutDown(within:)``, with loads for operations.
  ///
  /// - Parameter limit: The time that the loads have, on the reloader's clock. `.zero` or less cancels them now.
  /// - Returns: Whether everything ended on its own in time; see `Drainable.shutDown(within:)`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownFlights(within: limit)
  }

  @usableFromInline package func endAtOnce() -> () -> Void {
    let effects = state.withLock { state in
      state.loads.isClosed = true
      return state.loads.withdrawAll()
    }
    return { self.carryOut(effects) }
  }
}
