/// An owner of a succession, whose callers wait for nothing else.
@usableFromInline
package protocol SuccessionOwner: DrainedFlightOwner where Answer == Result<Value, any Error>? {
  associatedtype Value: Sendable

  var name: String? { get }

  func withFlights<Result: Sendable>(_ body: (inout Succession<Kept, Value>) -> Result) -> Result
}

extension SuccessionOwner {
  @usableFromInline package typealias Flights = Succession<Kept, Value>

  package var owner: OwnerOfFlight { OwnerOfFlight(self, named: name) }

  @usableFromInline package var label: String { owner.label }

  @usableFromInline
  package func locked<Result: Sendable>(_ body: () -> Result) -> Result { withFlights { _ in body() } }

  @usableFromInline
  package func leave(_ caller: Guest, _ why: JobRejection) {
    carryOut(withFlights { $0.leave(caller, why) })
  }

  @usableFromInline
  package func blockers(of caller: Guest) -> Blockers { withFlights { $0.blockers(of: caller) } }

  /// Called before the request: a rejected caller must not supersede a flight.
  func refusal(
    _ policy: SharingPolicy, asking stake: @autoclosure () -> Stake?, job: String? = nil, at now: Duration = .zero
  ) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    guard let held = HeldTurn.innermost else { return nil }
    held.asks(for: stake(), job: job)
    let own = HeldTurn.node { node in
      guard let flight = node as? Flights.Flight else { return false }
      return withFlights { $0.isUnended(flight) }
    }
    let inTheWay = policy == .supersede ? nil : withFlights { $0.joinable(at: now) }
    guard let flight = own ?? inTheWay else { return nil }
    return WaitGraph.cycle(closedBy: flight).map { .deadlock($0) }
  }

  /// Calls `joins` if the caller joins a flight, or `start` for a new one.
  package func carryOut(
    _ arrival: Flights.AskAction, raisingTo priority: UInt8, joins: (Flights.Flight) -> Void,
    start: (Flights.Flight) -> Arrival
  ) -> Arrival {
    switch arrival {
    case .joins(let flight, let tasks, let effects):
      for task in tasks { task.escalate(to: priority) }
      joins(flight)
      carryOut(effects)
      return .waiting(ahead: 0)
    case .follows(let flight, let tasks):
      for task in tasks { task.escalate(to: priority) }
      beginWait(flight, ahead: withFlights { $0.ahead })
      return start(flight)
    case .begins(let flight, let effects):
      // First: when the flight begins, those that it replaces have been cancelled.
      carryOut(effects)
      return start(flight)
    }
  }

  package nonisolated(nonsending) func begin(_ flight: Flights.Flight) async -> Bool {
    if let parking = flight.parking {
      await park(until: withFlights { $0.endOfJoining(before: flight) }) { suspension in
        withFlights { $0.trailing === flight && parking.park(suspension) }
      } endJoining: { owner in
        owner.withFlights { $0.endJoining(before: flight) }
      }
    }
    return decideBeginning(of: flight)
  }

  /// Not inlined: see ``Lock``.
  @inline(never)
  private func decideBeginning(of flight: Flights.Flight) -> Bool {
    let (task, now) = (TaskReference.current, flight.began ?? clock.now)
    return withFlights { _ in
      let begins = flight.begin(in: task)
      if begins { flight.began = now }
      return begins
    }
  }

  /// Not inlined: see ``Lock``.
  @inline(never)
  package func end(_ flight: Flights.Flight) { withFlights { $0.over(flight) }.resumed.resumeAll() }
}

extension SuccessionOwner {
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains) -> Result) -> Result {
    withFlights { body(&$0.drains) }
  }

  @usableFromInline
  package func withDrains<Result: Sendable>(
    _ body: (inout FlightDrains, _ unended: [Flights.Flight]) -> Result
  ) -> Result {
    withFlights { flights in
      let unended = flights.unended
      return body(&flights.drains, unended)
    }
  }
}
