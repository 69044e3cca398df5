// MARK: - Ending

extension TaskCoalescer: Drainable {
  /// Rejects every later call with ``JobRejection/closed``.
  ///
  /// Operations that run go on, and their callers get the results. What was prefetched is not served any more, and a
  /// ``prefetch(_:expiresAfter:name:priority:_:)`` does nothing. A closed coalescer cannot be opened again. O(1).
  public func close() { state.withLock { $0.close() } }

  /// Returns when the operations have ended that were accepted before this call.
  ///
  /// This includes operations that were cancelled, and those that no caller wants any more. What is accepted later is not waited
  /// for, except an operation that replaces one of these (``ReloadPolicy/supersede``).
  ///
  /// - **Order:** this call is resumed after the callers of the last of them.
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once, unless nothing runs; *waiting*, it
  ///   stops waiting at once. The operations are not affected.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside an operation of this coalescer, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(running operations).
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the coalescer, lets the running operations end, and cancels them when the limit has passed.
  ///
  /// Later calls are rejected with ``JobRejection/closed``. When the limit has passed, the callers that still wait are rejected
  /// with ``JobRejection/withdrawn``, and the operations are cancelled. One that does not react to that is waited for all the
  /// same: when this call returns, no operation runs and none can begin.
  ///
  /// - **Order:** all callers of `shutDown(within:)` and `drain()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, the limit counts as passed. This call then still
  ///   waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside an operation of this coalescer, this call cannot wait for that operation. It ends all of
  ///   them as if the limit had passed, and returns `false` without waiting.
  /// - **Complexity:** O(running operations), and O(callers) when the limit has passed.
  ///
  /// - Parameter limit: How long the running operations may take, on the coalescer's clock. `.zero` or less ends them now.
  /// - Returns: Whether all of it ended by itself, in time; see ``Drainable/shutDown(within:)``.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownFlights(within: limit)
  }
}

extension TaskCoalescer: DrainedFlightOwner {
  @usableFromInline
  package func withDrains<Result: Sendable>(
    _ body: (inout FlightDrains, _ unended: [CoalescedFlight<Key, Value>]) -> Result
  ) -> Result {
    state.withLock { state in
      let unended = state.unended
      return body(&state.drains, unended)
    }
  }

  @usableFromInline package var interruptions: Int { state.withLock { $0.interruptions } }

  @usableFromInline package func endAtOnce() -> () -> Void {
    let effects = state.withLock { state in
      state.close()
      return state.withdrawAll()
    }
    return { self.carryOut(effects) }
  }
}
