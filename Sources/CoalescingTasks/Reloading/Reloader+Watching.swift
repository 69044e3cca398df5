extension Reloader: WaitSource {
  package func holdings() -> Holdings {
    let label = label
    return Holdings(
      kind: "Reloader", clock: clock, holdings: state.withLock { $0.holdings(named: label) })
  }

  /// Notes that the load waits to follow another.
  ///
  /// Called before its task is created.
  func beginWait(_ load: Load, _ name: String?) {
    let now = clock.now
    let ahead = state.withLock { state in
      load.parking!.start = WaitStart(at: now)
      return state.ahead
    }
    reporter?.reportWaiting(executor: label, name, load.number, at: now, ahead: ahead)
  }

  func noteBegin(of load: Load) {
    let now = clock.now
    state.withLock { _ in load.began = now }
  }
}

extension ReloaderState {
  /// The number of loads that a following load waits for.
  package var ahead: Int { [landing, loading].count { $0 != nil } }

  /// Returns the loads that have not ended, wanted or not, oldest first, each with its callers; and last the callers of
  /// `drain`.
  ///
  /// Callers of the trailing load are listed with the load that it follows.
  package func holdings(named label: String) -> [Holding] {
    var found: [Holding] = []
    for load in unended.values.sorted(by: { $0.number < $1.number }) {
      if load === trailing || load.phase == .landed || load.phase == .abandoned && load.began == nil {
        continue
      }
      var holding = Holding(load, place: nil, since: load.began.map(WaitStart.init(at:)) ?? WaitStart())
      holding.name = { label }
      found.append(holding)
    }
    if let trailing, !found.isEmpty {
      found[found.count - 1].waiting += Holding(trailing, place: nil, since: WaitStart()).waiting
    }
    return found + Holding.draining(drains, named: label)
  }
}
