extension Reloader: WaitSource {
  package func holdings() -> Holdings {
    let label = label
    return Holdings(
      kind: .reloader, clock: clock, holdings: state.withLock { $0.holdings(named: label) })
  }

  /// Notes that the load waits to follow another; its task is made after this.
  func beginWait(_ load: Load, _ name: String?) {
    let now = clock.now
    let ahead = state.withLock { state in
      load.parking!.start = WaitStart(at: now)
      return state.ahead
    }
    reporter?.reportWaiting(executor: label, name, load.number, at: now, ahead: ahead)
  }

  func noteBegin(of load: Load) {
    let start = WaitStart(at: clock.now)
    state.withLock { _ in load.kept.began = start }
  }
}

extension ReloaderState {
  /// How many loads one has to wait for that follows.
  package var ahead: Int { [landing, loading].count { $0 != nil } }

  /// Returns the loads with their callers, the oldest first, wanted or not; and last the callers of `drain`.
  ///
  /// The callers of a load that waits to follow another are with that one.
  package func holdings(named label: String) -> [Holding] {
    var found: [Holding] = []
    for load in unended.values.sorted(by: { $0.number < $1.number }) {
      if load === trailing || load.phase == .landed || load.phase == .abandoned && !load.kept.began.isMoment {
        continue
      }
      var holding = Holding(load, place: nil, since: load.kept.began)
      holding.name = { label }
      found.append(holding)
    }
    if let trailing, !found.isEmpty {
      found[found.count - 1].waiting += Holding(trailing, place: nil, since: WaitStart()).waiting
    }
    return found + Holding.draining(drains, named: label)
  }
}
