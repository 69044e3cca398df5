// MARK: - Prefetching

extension TaskCoalescer {
  /// Runs the operation ahead of time, and keeps its result for one later caller.
  ///
  /// - A caller that arrives while the operation runs joins it and consumes the result: nothing is kept.
  /// - After the operation, the first caller gets the result at once and consumes it.
  /// - If the operation fails, nothing is kept, and the callers that have joined it get the error.
  /// - A result that has expired is not returned. It is released when later calls arrive, for any key.
  /// - If the key already has a kept result or an operation that can be joined, this call does nothing.
  ///
  /// The operation may run inside this call up to its first suspension. Callers that leave do not cancel it; ``cancel(_:)``
  /// and ``cancelAll()`` do. After ``invalidate(_:)``, its result is not kept.
  ///
  /// - Parameters:
  ///   - key: Identifies the operation.
  ///   - expiresAfter: How long the result is kept after the operation has ended, on the coalescer's clock; at most a
  ///     century.
  ///   - name: The name of the operation in events, and of its task.
  ///   - priority: The priority of the operation; `nil` means the caller's.
  ///   - operation: Obtains the value.
  @_alwaysEmitIntoClient
  public func prefetch(
    _ key: Key, expiresAfter: Duration, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) {
    let request = FlightRequest(
      key: StableKey(key), coalescer: ObjectIdentifier(self), coalescerName: self.name, name: name,
      priority: (priority ?? Task.currentPriority).rawValue,
      expiresAfter: expiresAfter.bounded, now: clock.now)
    if let flight = state.withLock({ $0.prefetch(request) }) { _ = start(flight, for: nil, operation) }
  }
}
