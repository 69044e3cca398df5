/// An owner of flights that callers of `drain` wait for.
@usableFromInline
package protocol DrainedFlightOwner: FlightOwner, EndsAtOnce where Boarded == Flight<Kept, Answer> {
  associatedtype Kept: KeptOfFlight
  associatedtype Answer

  var label: String { get }

  /// Calls the closure under the lock, with the callers of `drain` and the flights that have not ended, wanted or not.
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains, _ unended: [Flight<Kept, Answer>]) -> Result) -> Result
}

extension DrainedFlightOwner {
  package nonisolated(nonsending) func shutDownFlights(within limit: Duration) async -> Bool {
    await FlightDrainRoom(self).shutDown(within: limit, close: { close() }, end: { endAtOnce()() })
  }
}

/// Where callers of `drain` wait for an owner of flights.
package final class FlightDrainRoom<Owner: DrainedFlightOwner>: DrainRoom {
  private let owner: Owner

  package init(_ owner: Owner) { self.owner = owner }

  package var limits: TimeLimits { TimeLimits(clock: owner.clock) }
  package var label: String { owner.label }

  package func makeDrainer() -> Caller? {
    if owner.withDrains({ $1.isEmpty && !$0.hasOpenCalls }) { return nil }
    return Caller(.drainer, priority: Task.currentPriority.rawValue)
  }

  package func decideDrain(_ waiter: Caller, _ effects: inout Effects) -> Arrival {
    owner.withDrains { drains, unended in drains.wait(waiter, for: unended.map(\.accepted)) }
  }

  package func carryOut(_ effects: Effects) {}

  package func park(_ waiter: Caller, _ suspension: Suspension) -> Bool { owner.locked { waiter.park(suspension) } }

  package func leave(_ waiter: Caller, _ why: JobRejection) {
    let suspension = owner.withDrains { drains, _ -> Suspension? in
      guard waiter.isWaiting else { return nil }
      drains.remove(waiter)
      waiter.reject(why)
      return waiter.takeSuspension()
    }
    suspension?.resume()
  }

  package func blockers(of waiter: Caller) -> Blockers {
    .all(owner.withDrains { drains, unended in unended.filter { drains.waits(waiter, for: $0.accepted) } })
  }

  package func stake(of waiter: Caller) -> Stake? { Stake(ObjectIdentifier(owner), label: owner.label, mode: .drain) }

  package var interruptions: Int { owner.interruptions }
  package func rejection(of drainer: Caller) -> JobRejection? { owner.locked { drainer.rejection } }
}
