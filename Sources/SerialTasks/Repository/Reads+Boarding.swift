// How a read finds an equal one to join, or a place of its own.
//
// Reads of one key are joined if no other job that touches the key stands between them.

extension Reads {
  @usableFromInline
  enum Boarding<Value: Sendable>: Sendable {
    @usableFromInline typealias Flight = TypedReadFlight<Value>

    /// An equal read runs, or waits; these are to be raised.
    case joined(Flight, Few<Escalation>)
    /// The read is the caller's to start, and may have to wait for its turn.
    case leads(Flight, Arrival)
    case rejected(JobRejection)
  }

  /// Finds the caller a read to join, or a place for its own, whose operation begins with this priority; `note` is given it under the
  /// lock.
  @inlinable @inline(never)
  func board<Value>(
    _ key: StableKey<Key>, _ caller: Waiter, _ types: ReadTypes, priority: UInt8, waitingAtMost limit: Duration? = nil,
    note: (TypedReadFlight<Value>) -> Void = { _ in }
  ) -> Boarding<Value> {
    let kind = Job.Kind([.read, .slot]).limited(to: limit)
    return line.locked { state in
      if state.isClosed { return .rejected(.closed) }
      line.keys.settle(.one(key), &state)
      let queue = line.keys.queue(of: key, &state)
      if let running = queue.joinable(types, behind: state.lastWhole) {
        // Safe because these are the types of the read.
        let flight = unsafeDowncast(running, to: TypedReadFlight<Value>.self)
        if flight.read.isWaiting, kind.contains(.immediate) { return .rejected(.late) }
        flight.waiters.append(caller)
        note(flight)
        return .joined(flight, state.escalate(flight.read, to: caller.priority))
      }
      let flight = TypedReadFlight<Value>(
        nil, line: line, types: types, name: caller.name, priority: priority, urgency: caller.priority)
      let arrival = flight.join(queue, &state, kind: kind)
      if case .rejected(let why) = arrival { return .rejected(why) }
      flight.waiters.append(caller)
      note(flight)
      return .leads(flight, arrival)
    }
  }
}

extension KeyQueue {
  /// Returns the read of these types that a caller joins, if there is one behind the last job that touches every key.
  @usableFromInline
  final func joinable(_ types: ReadTypes, behind whole: Place) -> ReadFlight? {
    var place = places.last
    while let shared = place, shares(shared) {
      place = shared.previous
      // A read that was called in a turn is shared by no other caller.
      guard shared.claimant.isShared else { continue }
      // Safe because no other job stands for several callers.
      let read = unsafeDowncast(shared.claimant, to: ReadJob.self)
      if read.place < whole { return nil }
      if read.flight.types == types, read.flight.isSharing { return read.flight }
    }
    return nil
  }
}

extension LineState {
  /// The place of the last job that touches every key; 0 if there is none.
  @usableFromInline var lastWhole: Place { whole.last?.place ?? 0 }
}

extension ReadFlight {
  /// Takes a place among those of the key.
  @usableFromInline
  package final func join(_ queue: KeyQueue, _ state: inout LineState, kind: Job.Kind = [.read, .slot]) -> Arrival {
    state.prepare(read, touching: queue)
    read.kind = kind
    let arrival = state.join(read)
    if case .rejected = arrival { return arrival }
    read.awaitsTask = false
    return arrival
  }
}
