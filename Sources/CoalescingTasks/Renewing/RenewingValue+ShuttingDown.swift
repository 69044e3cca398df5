// MARK: - Ending

extension RenewingValue: Drainable {
  /// Rejects every later call with ``JobRejection/closed``, also while the value is valid.
  ///
  /// Renewals that run go on, and their callers get the results; nothing is kept. To discard their results, call ``clear()`` as
  /// well. What is closed cannot be opened again. O(1).
  public func close() { carryOut(state.withLock { $0.close() }) }

  /// Forgets the value and cancels what runs, as ``clear()`` does.
  ///
  /// A later call starts a new renewal, unless the value is closed. O(callers).
  public func cancelAll() { clear() }

  /// Returns when the renewals have ended that were started before this call.
  ///
  /// This includes renewals that were cancelled, and those whose result is discarded. Renewals that are started later are not
  /// waited for. To log out, call ``close()``, then this, and then wipe what renewals have stored: nothing is stored after it.
  ///
  /// - **Order:** this call is resumed after the callers of the last of them.
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once, unless nothing runs; *waiting*, it
  ///   stops waiting at once. The renewals are not affected.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a renewal of this value, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(renewals that have not ended).
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the value, lets the running renewal end, and cancels it when the limit has passed.
  ///
  /// Later calls are rejected with ``JobRejection/closed``. When the limit has passed, the callers that still wait are rejected
  /// with ``JobRejection/withdrawn``, and the renewal is cancelled. A renewal that ignores its cancellation is still waited for:
  /// when this call returns, no renewal runs and none can begin.
  ///
  /// - **Order:** all callers of `shutDown(within:)` and `drain()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, the limit counts as passed. This call then still
  ///   waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a renewal of this value, this call cannot wait for that renewal. It ends all of them as if the
  ///   limit had passed, and returns `false` without waiting.
  /// - **Complexity:** O(renewals that have not ended), and O(callers) when the limit has passed.
  ///
  /// - Parameter limit: How long the renewal may take, on the value's clock. `.zero` or less ends it now.
  /// - Returns: Whether all of it ended by itself, in time; see ``Drainable/shutDown(within:)``.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownFlights(within: limit)
  }
}

extension RenewingValue: DrainedFlightOwner {
  @usableFromInline
  package func withDrains<Result: Sendable>(
    _ body: (inout FlightDrains, _ unended: [Renewal<Value>]) -> Result
  ) -> Result {
    state.withLock { state in
      let unended = Array(state.unended.values)
      return body(&state.drains, unended)
    }
  }

  @usableFromInline package var interruptions: Int { state.withLock { $0.interruptions } }

  @usableFromInline package func endAtOnce() -> () -> Void {
    let effects = state.withLock { state in
      let effects = state.clear()
      // What it would release has been released by that.
      _ = state.close()
      return effects
    }
    return { self.carryOut(effects) }
  }
}
