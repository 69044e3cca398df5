extension RenewingValue: WaitSource {
  func holdings() -> Holdings {
    Holdings(kind: .renewingValue, clock: clock, holdings: state.withLock { $0.holdings })
  }
}

extension RenewingState {
  /// The renewals that are still wanted, the oldest first, each with its callers.
  package var holdings: [Holding] {
    running.map { Holding($0, place: $0.number, since: WaitStart(at: $0.began)) }
  }
}
