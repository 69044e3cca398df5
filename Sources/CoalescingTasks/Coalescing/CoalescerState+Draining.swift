// How a coalescer is closed and drained.

extension CoalescerState {
  package mutating func close() { isClosed = true }

  /// The flights whose operations have begun and not ended, wanted or not.
  package var unended: [AnyFlight] {
    Array(current.values) + detached.values.filter { $0.phase != .landed } + Array(abandoned.values)
  }

  /// Whether all operations have ended.
  package var isIdle: Bool { current.isEmpty && detached.count == failed && abandoned.isEmpty }

  /// Notes that an operation has ended: if it was the last, callers of `drain` go on.
  @usableFromInline
  mutating func resumeDrainers(_ deliver: (Waiter) -> Void) {
    guard isIdle else { return }
    drainers.removeAll { drainer in
      drainer.state = .granted
      deliver(drainer)
    }
  }
}
