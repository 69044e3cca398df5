extension TaskCoalescer {
  /// Runs the operation ahead of time, and keeps its result for one later caller.
  ///
  /// - A caller that joins the running operation consumes the result; otherwise the first later caller does, and gets it at once.
  /// - If the operation fails, nothing is kept, and the callers that have joined it get the error.
  /// - An expired result is not returned, and is released when later calls arrive, for any key.
  /// - If the key already has a kept result or an operation that can be joined, this call does nothing.
  ///
  /// The operation may run inside this call up to its first suspension. Callers that leave do not cancel it;
  /// ``cancel(_:)`` and ``cancelAll()`` do. After ``invalidate(_:)``, its result is not kept.
  ///
  /// The time of `expiresAfter`, at most a century, begins when the operation has ended. Otherwise like
  /// ``value(for:policy:name:priority:_:)``.
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
