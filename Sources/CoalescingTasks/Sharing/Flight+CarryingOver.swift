extension Flight {
  /// Returns the parked task of a flight that will never begin, to be resumed.
  @usableFromInline
  package func unpark() -> Waiter? {
    guard let parking, parking.isWaiting else { return nil }
    parking.reject(.withdrawn)
    return parking
  }

  func carryOver(from replaced: [Flight], _ drains: inout FlightDrains, _ effects: inout FlightEffects<Flight>) {
    takeCallers(of: replaced, &drains)
    for old in replaced {
      effects.abandon(old)
      effects.resume(old.unpark())
    }
  }

  func takeCallers(of others: [Flight], _ drains: inout FlightDrains) {
    if others.isEmpty { return }
    let own = accepted
    var carried: [FlightCaller<Flight>] = []
    for old in others {
      carried += old.waiters.removeAll()
      accepted = min(accepted, old.accepted)
      _ = escalate(to: old.raisedTo)
    }
    drains.countUp(accepted, before: own)
    // Sorted lists, which sorting merges quickly.
    for caller in (carried + waiters.removeAll()).sorted(by: { $0.place < $1.place }) {
      if caller.flight !== self { (caller.flight, caller.leads) = (self, false) }
      waiters.append(caller)
    }
  }
}

extension LinkedList {
  package mutating func removeAll() -> [Element] {
    var removed: [Element] = []
    removeAll { removed.append($0) }
    return removed
  }
}
