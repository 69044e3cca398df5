extension Reads {
  @usableFromInline
  enum Boarding<Value: Sendable>: Sendable {
    @usableFromInline typealias Flight = TypedReadFlight<Value>

    case joined(Flight, Effects)
    case leads(Flight, Arrival, Effects)
    case rejected(JobRejection)
  }

  /// Joins an equal read, unless another job stands between the two, or takes a place for a new one.
  ///
  /// `note` gets the read, under the lock. A caller that was cancelled before is rejected.
  @_alwaysEmitIntoClient @inline(never)
  func board<Value>(
    _ key: StableKey<Key>, _ caller: Waiter, _ types: ReadTypes, priority: UInt8, waitingAtMost limit: Duration? = nil,
    note: (TypedReadFlight<Value>) -> Void
  ) -> Boarding<Value> {
    let kind = Job.Kind([.read, .slot]).limited(to: limit)
    return line.locked { state in
      if let why = caller.rejection { return .rejected(why) }
      if state.isClosed { return .rejected(.closed) }
      var effects = Effects()
      let queue = line.keys.queue(of: key)
      if let running = queue.joinable(types, in: state) {
        let flight = running as! TypedReadFlight<Value>
        if flight.read.isWaiting, kind.contains(.immediate) { return .rejected(.late) }
        note(flight)
        flight.join(caller, &state, &effects)
        return .joined(flight, effects)
      }
      let flight = TypedReadFlight<Value>(
        nil, line: line, types: types, kind: kind, name: caller.name, priority: priority, urgency: caller.priority)
      let arrival = flight.arrive(on: queue, caller, &state, &effects)
      if case .rejected(let why) = arrival { return .rejected(why) }
      note(flight)
      return .leads(flight, arrival, effects)
    }
  }
}
