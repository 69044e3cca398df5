/// An owner of flights that callers of `drain` wait for.
@usableFromInline
package protocol DrainedFlightOwner: FlightOwner, EndsAtOnce {
  var label: String { get }

  /// Calls the closure under the lock with the callers of `drain`, and with whether all flights have ended.
  func withDrainers<Result: Sendable>(_ body: (inout WaiterList, _ isIdle: Bool) -> Result) -> Result

  /// Returns the flights that have not ended, if the caller of `drain` waits for them.
  func unended(for drainer: Waiter) -> [AnyFlight]
}

extension DrainedFlightOwner {
  package nonisolated(nonsending) func shutDownFlights(within limit: Duration) async -> Bool {
    await FlightDrainRoom(self).shutDown(within: limit, close: { close() }, end: { endAtOnce()() })
  }
}

/// Where callers of `drain` wait for an owner of flights, which has no line: until all its flights have ended, those included
/// that no caller wants any more.
package final class FlightDrainRoom<Owner: DrainedFlightOwner>: DrainRoom {
  private let owner: Owner

  package init(_ owner: Owner) { self.owner = owner }

  package var limits: TimeLimits { TimeLimits(clock: owner.clock) }
  package var label: String { owner.label }

  package func makeDrainer() -> Waiter? {
    if owner.withDrainers({ $1 }) { return nil }
    return Caller(.drainer, priority: Task.currentPriority.rawValue)
  }

  package func decideDrain(_ waiter: Waiter, _ effects: inout Effects) -> Arrival {
    owner.withDrainers { drainers, isIdle in
      if isIdle { return .granted }
      drainers.append(waiter)
      return .waiting(ahead: 0)
    }
  }

  package func carryOut(_ effects: Effects) {}

  package func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool { owner.locked { waiter.park(suspension) } }

  package func leave(_ waiter: Waiter, _ why: JobRejection) {
    let suspension = owner.withDrainers { drainers, _ -> Suspension? in
      guard waiter.isWaiting else { return nil }
      drainers.remove(waiter)
      waiter.reject(why)
      return waiter.takeSuspension()
    }
    suspension?.resume()
  }

  package func blockers(of waiter: Waiter) -> Blockers { .all(owner.unended(for: waiter)) }

  package func stake(of waiter: Waiter) -> Stake? { Stake(ObjectIdentifier(owner), label: owner.label, mode: .drain) }

  package var interruptions: Int { owner.interruptions }
  package func rejection(of drainer: Waiter) -> JobRejection? { owner.locked { drainer.rejection } }

}
