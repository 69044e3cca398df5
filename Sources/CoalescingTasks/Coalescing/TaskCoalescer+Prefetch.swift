// MARK: - Prefetching

extension TaskCoalescer {
  /// Runs the operation ahead of time, and keeps its result for one later caller.
  ///
  /// - If a caller arrives while the operation runs, it joins the operation and consumes the result: nothing is kept.
  /// - After the operation has ended, the first caller is served at once and consumes the result: of many, exactly one.
  /// - If no caller arrives before the result expires, the result is gone.
  /// - If the operation fails, nothing is kept, and a caller that had joined it runs its own operation, or joins what runs
  ///   by then.
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

  /// Ensures that a kept result does not outlive its expiry for long, even if there are no more calls.
  ///
  /// A few tasks sleep for this, usually one. They do not keep the coalescer alive, and end with it.
  @usableFromInline
  func sweepLater(_ expiry: Duration) {
    let now = clock.now
    guard state.withLock({ $0.awaitExpiry(expiry, now: now) }) else { return }
    sweepers.withLock { $0[expiry] = .some(nil) }
    let sweeper = Task.detached(priority: .utility) { [weak self, clock] in
      var next: Duration? = expiry
      while let due = next {
        // A clock that throws, or does not sleep, is not asked again; the next to be stored tries anew.
        let goesOn = await clock.hasSlept(until: due)
        next = self?.sweep(due, goesOn: goesOn)
      }
      self?.sweepers.withLock { $0[expiry] = nil }
    }
    sweepers.withLock { if $0[expiry] != nil { $0[expiry] = sweeper } }
  }

  private func sweep(_ due: Duration, goesOn: Bool) -> Duration? {
    let now = clock.now
    return state.withLock { $0.sweep(due, now: now, goesOn: goesOn) }.next
  }
}
