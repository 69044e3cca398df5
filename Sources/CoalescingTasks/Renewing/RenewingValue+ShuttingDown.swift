extension RenewingValue: Drainable {
  /// Rejects every later call with `JobRejection.closed`, even while the value is valid.
  ///
  /// Running renewals continue, and their callers get the results, which are not kept; to discard them, also call
  /// ``clear()``. A closed value cannot be reopened. O(1).
  public func close() { carryOut(state.withLock { $0.close() }) }

  /// Does what ``clear()`` does.
  public func cancelAll() { clear() }

  /// Returns when the renewals that were started before this call have ended.
  ///
  /// To log out, call ``close()``, then this method, and then delete what renewals have stored: no renewal stores
  /// anything afterwards.
  ///
  /// Otherwise like ``TaskCoalescer/drain()``, with renewals for operations.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the value, waits for the running renewal, and cancels it when the limit has passed.
  ///
  /// Like ``TaskCoalescer/shutDown(within:)``, with renewals for operations.
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
