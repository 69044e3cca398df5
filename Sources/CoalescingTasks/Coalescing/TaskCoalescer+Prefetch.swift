// MARK: - Prefetching

extension TaskCoalescer {
  /// Runs the operation ahead of time, and keeps its result for one later caller.
  ///
  /// - If a caller arrives while the operation runs, it joins the operation and consumes the result: nothing is kept.
  /// - After the operation has ended, the first caller is served at once and consumes the result: of many, exactly one.
  /// - If no caller arrives before the result expires, it is not served. It is released when later calls arrive, of any key.
  /// - If the operation fails, nothing is kept, and the callers that have joined it get the error.
  /// - If an operation that can be joined already runs for the key, or a result is kept for it, this call does nothing.
  ///
  /// The operation may run inside this call up to its first suspension. Callers that leave do not cancel it; ``cancel(_:)``
  /// and ``cancelAll()`` do. After ``invalidate(_:)`` its result is not kept.
  ///
  /// - Parameters:
  ///   - key: Identifies the operation for later callers.
  ///   - expiresAfter: How long the result is kept after the operation has ended, measured by the coalescer's clock; at most
  ///     a century.
  ///   - name: The flight's name in events, and the name of its task.
  ///   - priority: The priority of the operation; `nil` means the caller's.
  ///   - operation: Performs the work.
  @_alwaysEmitIntoClient
  public func prefetch(
    _ key: Key, expiresAfter: Duration, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) {
    let request = FlightRequest(
      key: StableKey(key), coalescer: ObjectIdentifier(self), coalescerName: self.name, name: name,
      priority: (priority ?? Task.currentPriority).rawValue,
      expiresAfter: expiresAfter.bounded, now: clock.now)
    if let flight = state.withLock({ $0.prefetch(request) }) { _ = start(flight, operation) }
  }
}
