extension RenewingValue: WaitSource {
  package func holdings() -> Holdings {
    let label = label
    return Holdings(kind: "RenewingValue", clock: clock, holdings: state.withLock { $0.holdings(named: label) })
  }
}

extension RenewingState {
  /// Returns the renewals that are still wanted, oldest first, each with its callers; and last the callers of `drain`.
  package func holdings(named label: String) -> [Holding] {
    running.map { Holding($0, place: $0.number, since: $0.began.map(WaitStart.init(at:)) ?? WaitStart()) }
      + Holding.draining(drains, named: label)
  }
}
