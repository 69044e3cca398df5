/// An owner of flights that callers of `drain` wait for.
@usableFromInline
protocol DrainedFlightOwner: FlightOwner {
  var limits: TimeLimits { get }
  var label: String { get }

  /// Calls the closure with the callers of `drain` under the lock, and with all flights that have not ended.
  func withDrainers<Result: Sendable>(_ body: (inout WaiterList, _ unended: [Flight]) -> Result) -> Result
}

/// Where callers of `drain` wait for an owner of flights, which has no line: until all its flights have ended, those included
/// that no caller wants any more.
final class FlightDrainRoom<Owner: DrainedFlightOwner>: DrainRoom {
  private let owner: Owner

  init(_ owner: Owner) { self.owner = owner }

  var limits: TimeLimits { owner.limits }
  var drainLabel: String { owner.label }

  func makeDrainer() -> Waiter? {
    if owner.withDrainers({ $1.isEmpty }) { return nil }
    return Waiter(isDrainer: true, priority: Task.currentPriority.rawValue)
  }

  func decideDrain(_ waiter: Waiter) -> Arrival {
    owner.withDrainers { drainers, unended in
      if unended.isEmpty { return .granted }
      drainers.append(waiter)
      return .waiting(.none)
    }
  }

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

  func blockers(of waiter: Waiter) -> Blockers {
    owner.withDrainers { _, unended in waiter.isWaiting ? .all(unended) : .none }
  }

  func escalate(_ escalations: Few<Escalation>) {}
  func rejection(of drainer: Waiter) -> JobRejection? { owner.locked { drainer.rejection } }

  func startWait(_ drainer: Waiter) {
    let start = WaitStart(at: owner.clock.now)
    owner.locked { drainer.start = start }
  }
}
