/// An owner of flights that callers of `drain` wait for.
@usableFromInline
protocol DrainedFlightOwner: FlightOwner, EndsAtOnce {
  var label: String { get }

  /// Calls the closure under the lock with the callers of `drain`, and with whether all flights have ended.
  func withDrainers<Result: Sendable>(_ body: (inout WaiterList, _ isIdle: Bool) -> Result) -> Result

  /// Returns the flights that have not ended, if the caller of `drain` waits for them.
  func unended(for drainer: Waiter) -> [Flight]
}

extension DrainedFlightOwner {
  nonisolated(nonsending) func shutDownFlights(within limit: Duration) async -> Bool {
    await FlightDrainRoom(self).shutDown(within: limit, close: { close() }, end: { endAtOnce()() })
  }
}

/// Where callers of `drain` wait for an owner of flights, which has no line: until all its flights have ended, those included
/// that no caller wants any more.
final class FlightDrainRoom<Owner: DrainedFlightOwner>: DrainRoom {
  private let owner: Owner

  init(_ owner: Owner) { self.owner = owner }

  var limits: TimeLimits { TimeLimits(clock: owner.clock) }
  var label: String { owner.label }

  func makeDrainer() -> Waiter? {
    if owner.withDrainers({ $1 }) { return nil }
    return Caller(.drainer, priority: Task.currentPriority.rawValue)
  }

  func decideDrain(_ waiter: Waiter, _ effects: inout Effects) -> Arrival {
    owner.withDrainers { drainers, isIdle in
      if isIdle { return .granted }
      drainers.append(waiter)
      return .waiting(ahead: 0)
    }
  }

  func carryOut(_ effects: Effects) {}

  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool { owner.locked { waiter.park(suspension) } }

  func leave(_ waiter: Waiter, _ why: JobRejection) {
    let suspension = owner.withDrainers { drainers, _ -> Suspension? in
      guard waiter.isWaiting else { return nil }
      drainers.remove(waiter)
      waiter.reject(why)
      return waiter.takeSuspension()
    }
    suspension?.resume()
  }

  func blockers(of waiter: Waiter) -> Blockers { .all(owner.unended(for: waiter)) }

  func stake(of waiter: Waiter) -> Stake? { Stake(ObjectIdentifier(owner), label: owner.label, mode: .drain) }

  var interruptions: Int { owner.interruptions }
  func rejection(of drainer: Waiter) -> JobRejection? { owner.locked { drainer.rejection } }

}
