// Who holds the turn, who waits for it, and since when.

extension LineState {
  /// How many jobs stand ahead of one that comes now.
  var ahead: Int { waiting.count + (turn.isFree ? 0 : 1) }

  /// The clock was read for a waiter that has joined.
  ///
  /// - Returns: How many stood ahead when it did.
  package mutating func noteWaitStart(of waiter: Waiter, at start: WaitStart) -> Int {
    let ahead = waiter.start.ahead ?? 0
    // It may have been granted the turn meanwhile; a pause can still put it back.
    if !waiter.hasBegun { waiter.start = start }
    guard waiter.isWaiting else { return ahead }
    if !turn.isFree, firstBehind.place != turn.place { firstBehind = (turn.place, start) }
    return ahead
  }

  /// The turn and those that wait for it, if there are any.
  package func holding(named name: @escaping @Sendable () -> String) -> Holding? {
    if turn.isFree, waiting.isEmpty, drainers.isEmpty { return nil }
    var found: [Holding.Waiting] = []
    found.reserveCapacity(waiting.count + drainers.count)
    waiting.forEach { found.append(Holding.Waiting(job: $0.name, start: $0.start)) }
    drainers.forEach { found.append(Holding.Waiting(drainer: $0)) }
    return Holding(
      name: name, isHeld: !turn.isFree, job: turn.name, place: turn.isFree ? nil : turn.place,
      since: !turn.isFree && firstBehind.place == turn.place ? firstBehind.start : WaitStart(), waiting: found)
  }
}

extension Holding.Waiting {
  /// A caller of `drain` or `pauseAndWait`.
  package init(drainer: Waiter) { self.init(job: drainer.pauses ? "pauseAndWait()" : "drain()", start: drainer.start) }
}
