extension RenewingValue: Drainable {
  /// Rejects every later call with `JobRejection.closed`, even while the value is valid.
  ///
  /// Running renewals continue, and their callers get the results, which are not kept. To discard the results, also call
  /// ``clear()``. A closed value cannot be reopened. O(1).
  public func close() { carryOut(state.withLock { $0.close() }) }

  /// Does what ``clear()`` does.
  public func cancelAll() { clear() }

  /// Returns when the renewals that were started before this call have ended.
  ///
  /// This includes cancelled renewals, and those whose result is discarded. It does not wait for later ones. To log out,
  /// call ``close()``, then this method, and then delete what renewals have stored: no renewal stores anything afterwards.
  ///
  /// Otherwise like ``TaskCoalescer/drain()``, with renewals for operations.
  ///
  /// - Throws: `CancellationError`, or `JobRejection.deadlock(_:)`.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the value, waits for the running renewal, and cancels it when the limit has passed.
  ///
  /// Then the callers that still wait are rejected with `JobRejection.withdrawn`. A renewal that ignores its cancellation
  /// is still awaited: when this call returns, no renewal runs and none can begin.
  ///
  /// Otherwise like ``TaskCoalescer/shutDown(within:)``, with renewals for operations.
  ///
  /// - Parameter limit: The time that the renewal has, on the value's clock. `.zero` or less cancels it now.
  /// - Returns: Whether everything ended on its own in time; see `Drainable.shutDown(within:)`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownFlights(within: limit)
  }

  @usableFromInline package func endAtOnce() -> () -> Void {
    let effects = state.withLock { state in
      let effects = state.clear()
      // `clear` has released what this would release.
      _ = state.close()
      return effects
    }
    return { self.carryOut(effects) }
  }
}
