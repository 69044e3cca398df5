// How a flight waits to begin, and replaces others.

extension Flight {
  /// Rejects the parked task of a flight that will never begin; returns where it is parked, to be resumed.
  @usableFromInline
  package func unpark() -> Waiter? {
    guard let parking, parking.isWaiting else { return nil }
    parking.state = .rejected(.withdrawn)
    return parking
  }

  /// Abandons the replaced flights and carries their callers over to this one, in order of arrival.
  package func carryOver(from replaced: [Flight], _ drains: inout FlightDrains, _ effects: inout FlightEffects) {
    if replaced.isEmpty { return }
    var carried: [Waiter] = []
    for old in replaced {
      carried += old.waiters.removeAll()
      accepted = min(accepted, old.accepted)
      _ = escalate(to: old.raisedTo)
      effects.abandon(old)
      effects.resume(old.unpark())
    }
    drains.countUp(accepted)
    // Sorted lists, which sorting merges quickly.
    for caller in carried.sorted(by: { $0.place < $1.place }) {
      let caller = FlightCaller.cast(caller)
      (caller.flight, caller.leads) = (self, false)
      waiters.append(caller)
    }
  }
}
