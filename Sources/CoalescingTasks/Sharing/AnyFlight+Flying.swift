extension AnyFlight {
  /// Returns whether the operation is still wanted.
  @usableFromInline
  package final func begin(in task: TaskReference?) -> Bool {
    guard phase == .boarding else { return false }
    phase = .flying
    if handle == nil { handle = task?.retained }
    return true
  }

  /// Stores the task, which may have ended; returns the priority to raise it to, if any.
  @usableFromInline
  package final func attach(_ task: Task<Void, Never>, isDeep: Bool) -> UInt8? {
    self.isDeep = isDeep
    guard isGoingOn else { return nil }
    if handle == nil { handle = task }
    return raisedTo > priority ? raisedTo : nil
  }
}

extension TaskReference {
  /// Safe because the task has not ended, and `Task` is one reference to it, and frozen.
  fileprivate var retained: Task<Void, Never> { unsafeBitCast(word, to: Task<Void, Never>.self) }
}

extension Task where Failure == Never {
  /// Creates the task of a flight; it runs to its first suspension at once if `now`, and where the system can.
  ///
  /// The marker is bound around the creation: inside the task, that would cost a closure and two executor switches. The
  /// operation must begin with ``TurnMarker/bindAddress()``.
  @_alwaysEmitIntoClient @inline(__always)
  package static func starting(
    _ flight: AnyFlight, _ marker: TurnMarker, now: Bool = true,
    _ operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task<Success, Never> {
    // Safe because the closure is passed on once.
    nonisolated(unsafe) let operation = operation
    return TurnMarker.key.withValue(marker) {
      // A task inherits its parent's base priority, not its raised one. Nested flights that start at once do not all
      // fit on one stack.
      .starting(
        now: now && !marker.isDeep, name: flight.name, priority: TaskPriority(rawValue: flight.priority), operation)
    }
  }
}
