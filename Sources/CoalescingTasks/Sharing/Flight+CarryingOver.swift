// A flight that waits to begin, and one that replaces others.

extension Flight {
  /// Lets the task of a flight that never begins find that out; returns where it parks, to be resumed.
  @usableFromInline
  package func unpark() -> Waiter? {
    guard let parking, parking.isWaiting else { return nil }
    parking.state = .rejected(.withdrawn)
    return parking
  }

  /// Abandons what it replaces, and carries the callers of that over to it, in the order in which they came.
  package func carryOver(from replaced: [Flight], _ drains: inout FlightDrains, _ effects: inout FlightEffects) {
    if replaced.isEmpty { return }
    var carried: [Waiter] = []
    for old in replaced {
      carried += old.waiters.removeAll()
      accepted = min(accepted, old.accepted)
      _ = escalate(to: old.raisedTo)
      effects.abandon(old)
      if let parking = old.unpark() { effects.common.resume(parking) }
    }
    drains.countUp(accepted)
    // Lists that are in order, which is what sorting is quick for.
    for caller in carried.sorted(by: { $0.place < $1.place }) {
      CarriedCaller<Flight>.cast(caller).carrier = self
      waiters.append(caller)
    }
  }
}
