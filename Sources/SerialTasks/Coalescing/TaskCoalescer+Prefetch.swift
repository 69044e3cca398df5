// MARK: - Prefetching

extension TaskCoalescer {
  /// Runs the operation for a caller that is still to come, and keeps its result for that one caller.
  ///
  /// - A caller that comes while it runs joins it and consumes the result: nothing is kept.
  /// - The first caller after it is served at once and consumes it: of many, exactly one.
  /// - Nobody comes before `expiresAfter`: it is gone.
  /// - It fails: nothing is kept, and a caller that had joined it runs its own operation, or joins what runs by then.
  /// - Something runs for the key already, or is kept for it: this call does nothing.
  ///
  /// The operation may run inside this call to its first suspension. Nobody's leaving cancels it; ``cancel(_:)`` and ``cancelAll()`` do. After ``invalidate(_:)`` its result is not kept.
  ///
  /// - Parameters:
  ///   - key: What will be asked for.
  ///   - expiresAfter: How long the result is kept after the operation has ended, by the coalescer's clock; a century
  ///     at most.
  ///   - name: What events call the flight, and the name of its task.
  ///   - priority: The priority of the operation; `nil` is the caller's.
  ///   - operation: Does the work.
  @inlinable
  public func prefetch(
    _ key: Key, expiresAfter: Duration, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) {
    let request = FlightRequest(
      key: StableKey(key), coalescer: identity, name: name, priority: (priority ?? Task.currentPriority).rawValue,
      expiresAfter: min(expiresAfter, .seconds(100 * 365 * 86_400)), now: time.now)
    if let flight = state.withLock({ $0.prefetch(request) }) { _ = start(flight, operation) }
  }

  /// Sees to it that what is kept does not outlive its expiry for long, also when nobody calls any more.
  ///
  /// Few tasks sleep for this, mostly one. They do not keep the coalescer, and end with it.
  @usableFromInline
  func sweepLater(_ expiry: Duration) {
    let now = time.now
    guard state.withLock({ $0.awaitExpiry(expiry, now: now) }) else { return }
    sweepers.withLock { $0[expiry] = .some(nil) }
    let sweeper = Task.detached(priority: .utility) { [weak self, time] in
      var next: Duration? = expiry
      while let due = next {
        // A clock that throws, or does not sleep, is not asked again; the next to be stored tries anew.
        let goesOn = await time.hasSlept(until: due)
        next = self?.sweep(due, goesOn: goesOn)
      }
      self?.sweepers.withLock { $0[expiry] = nil }
    }
    sweepers.withLock { if $0[expiry] != nil { $0[expiry] = sweeper } }
  }

  private func sweep(_ due: Duration, goesOn: Bool) -> Duration? {
    let now = time.now
    return state.withLock { $0.sweep(due, now: now, goesOn: goesOn) }.next
  }
}
