// MARK: - Ending

extension Reloader: Drainable {
  /// Rejects every later call of ``reload(_:)`` with ``JobRejection/closed``; a later ``request(_:)`` does nothing.
  ///
  /// Loads that were requested before run, land, and answer their callers. To discard them, call ``cancel()`` as well. A closed
  /// reloader cannot be opened again. O(1).
  public func close() { state.withLock { $0.close() } }

  /// Ends what loads and what waits to load, as ``cancel()`` does.
  ///
  /// What is requested later is loaded, unless the reloader is closed. O(callers).
  public func cancelAll() { cancel() }

  /// Returns when the loads have ended, and their results are applied, that were requested before this call.
  ///
  /// This includes loads that were cancelled or replaced. What is requested later is not waited for, except a load that takes
  /// the place of one of these. To end a screen for good, call ``close()``, ``cancel()`` and then this: after it, nothing lands.
  ///
  /// - **Order:** this call is resumed after the callers of the last of them.
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once, unless nothing loads; *waiting*, it
  ///   stops waiting at once. The loads are not affected.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a load, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(loads that have not ended).
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the reloader, lets the loads end, and cancels them when the limit has passed.
  ///
  /// Later calls are rejected with ``JobRejection/closed``. When the limit has passed, the callers that still wait are rejected
  /// with ``JobRejection/withdrawn``, the loads are cancelled, and what they return is discarded. A load that ignores its
  /// cancellation is still waited for: when this call returns, no load runs and none can begin.
  ///
  /// - **Order:** all callers of `shutDown(within:)` and `drain()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, the limit counts as passed. This call then still
  ///   waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a load, this call cannot wait for that load. It ends all of them as if the limit had passed,
  ///   and returns `false` without waiting.
  /// - **Complexity:** O(loads that have not ended), and O(callers) when the limit has passed.
  ///
  /// - Parameter limit: How long the loads may take, on the reloader's clock. `.zero` or less ends them now.
  /// - Returns: Whether all of it ended by itself, in time; see ``Drainable/shutDown(within:)``.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownFlights(within: limit)
  }
}

extension Reloader: DrainedFlightOwner {
  @usableFromInline
  package func withDrains<Result: Sendable>(
    _ body: (inout FlightDrains, _ unended: [ReloadFlight<Reason, Value>]) -> Result
  ) -> Result {
    state.withLock { state in
      let unended = Array(state.unended.values)
      return body(&state.drains, unended)
    }
  }

  @usableFromInline package var interruptions: Int { state.withLock { $0.interruptions } }

  @usableFromInline package func endAtOnce() -> () -> Void {
    let effects = state.withLock { state in
      state.close()
      return state.cancel()
    }
    return { self.carryOut(effects) }
  }
}
