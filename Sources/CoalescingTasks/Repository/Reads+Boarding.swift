// How a read joins an equal one, or takes a place.
//
// A read is joined if no other job that touches the key stands between the two.

extension Reads {
  @usableFromInline
  enum Boarding<Value: Sendable>: Sendable {
    @usableFromInline typealias Flight = TypedReadFlight<Value>

    /// An equal read runs or waits; the effects raise jobs.
    case joined(Flight, Effects)
    case leads(Flight, Arrival, Effects)
    case rejected(JobRejection)
  }

  /// Joins an equal read, or takes a place for a new one with this priority.
  ///
  /// `note` gets the read, under the lock.
  @_alwaysEmitIntoClient @inline(never)
  func board<Value>(
    _ key: StableKey<Key>, _ caller: Waiter, _ types: ReadTypes, priority: UInt8, waitingAtMost limit: Duration? = nil,
    note: (TypedReadFlight<Value>) -> Void = { _ in }
  ) -> Boarding<Value> {
    let kind = Job.Kind([.read, .slot]).limited(to: limit)
    // Only events report how long a read waited; callers have their own times.
    let start = line.reports ? WaitStart(at: line.clock.now) : WaitStart()
    return line.locked { state in
      if state.isClosed { return .rejected(.closed) }
      state.settle()
      var effects = Effects()
      let queue = line.keys.queue(of: key)
      if let running = queue.joinable(types, in: state) {
        // Safe because the read has these types.
        let flight = unsafeDowncast(running, to: TypedReadFlight<Value>.self)
        if flight.read.isWaiting, kind.contains(.immediate) { return .rejected(.late) }
        flight.waiters.append(caller)
        note(flight)
        state.raise(flight.read, to: caller.priority, &effects)
        return .joined(flight, effects)
      }
      let flight = TypedReadFlight<Value>(
        nil, line: line, types: types, name: caller.name, priority: priority, urgency: caller.priority)
      flight.read.kind = kind
      state.prepare(flight.read, touching: Claim(on: queue, sibling: nil))
      flight.read.start = start
      let arrival = state.arrive(flight.read, &effects)
      if case .rejected(let why) = arrival { return .rejected(why) }
      flight.waiters.append(caller)
      note(flight)
      return .leads(flight, arrival, effects)
    }
  }
}

extension JobQueue {
  /// Returns the read that a new read of these types would join: the last one, unless another job of the key or a job of
  /// every key stands behind it.
  @usableFromInline
  final func joinable(_ types: ReadTypes, in state: borrowing LineState) -> ReadFlight? {
    var place = places.last
    while let shared = place, shared.isShared {
      place = shared.previous
      // A read inside a turn is not shared.
      guard shared.claimant.hasSharers else { continue }
      // Safe because only read jobs have several callers.
      let read = unsafeDowncast(shared.claimant, to: ReadJob.self)
      if state.all.hasAlone(behind: read.place) { return nil }
      if read.flight.types == types, read.flight.isSharing { return read.flight }
    }
    return nil
  }
}
