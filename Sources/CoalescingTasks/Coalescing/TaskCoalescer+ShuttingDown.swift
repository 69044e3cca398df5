extension TaskCoalescer: Drainable {
  /// Rejects every later call with `JobRejection.closed`.
  ///
  /// Running operations continue, and their callers get the results. Kept results are no longer served, and
  /// ``prefetch(_:expiresAfter:name:priority:_:)`` does nothing. O(1).
  public func close() { carryOut(state.withLock { $0.close() }) }

  /// Returns when the operations that were accepted before this call have ended, and the completion handlers of earlier
  /// calls have been called.
  ///
  /// This includes cancelled operations, those without callers, and those that replace one of them (``SharingPolicy/supersede``).
  ///
  /// - **Order:** this call is resumed after the callers of the last of these operations.
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once, unless nothing runs;
  ///   *waiting*, it stops waiting at once. The operations are not affected.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside an operation of this coalescer, it throws `JobRejection.deadlock(_:)`.
  /// - **Complexity:** O(running operations).
  ///
  /// - Throws: `CancellationError`, or `JobRejection.deadlock(_:)`.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await FlightDrainRoom(self).drain() { throw JobRejection.untyped(why) }
  }

  /// Closes the coalescer, waits for the running operations, and cancels them when the limit has passed.
  ///
  /// Then the callers that still wait are rejected with `JobRejection.withdrawn`. An operation that ignores its cancellation is
  /// still awaited: when this call returns, no operation runs, none can begin, and the completion handlers have been called.
  ///
  /// - **Order, cancellation, limit and result:** as for `SerialTaskExecutor.shutDown(within:)`.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside an operation of this coalescer, this call cancels all operations, and returns `false`
  ///   without waiting.
  /// - **Complexity:** O(running operations), and O(callers) when the limit has passed.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await shutDownAlone(within: limit)
  }
}

extension TaskCoalescer: DrainedFlightOwner, CompletingFlightOwner {
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains) -> Result) -> Result {
    state.withLock { body(&$0.drains) }
  }

  @usableFromInline
  package func withDrains<Result: Sendable>(
    _ body: (inout FlightDrains, _ unended: [CoalescedFlight<Key, Value>]) -> Result
  ) -> Result {
    state.withLock { state in
      let unended = state.unended
      return body(&state.drains, unended)
    }
  }

  @usableFromInline
  package func shutDown(
    _ drainer: Caller, withdraws: Bool, after first: Caller?
  ) -> (ShutDownStep, FlightEffects<Boarded>?) {
    state.withLock { $0.shutDown(drainer, withdraws: withdraws, after: first) }
  }
}
