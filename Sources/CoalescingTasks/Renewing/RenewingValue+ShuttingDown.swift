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
    await shutDownAlone(within: limit)
  }

  @usableFromInline
  package func shutDown(
    _ drainer: Caller, withdraws: Bool, after first: Caller?
  ) -> (ShutDownStep, FlightEffects<Boarded>?) {
    state.withLock { $0.shutDown(drainer, withdraws: withdraws, after: first) }
  }
}
