extension RenewingValue: WaitSource {
  package func holdings() -> Holdings {
    let label = label
    return Holdings(
      kind: "RenewingValue", clock: clock, holdings: state.withLock { $0.renewals.holdings(named: label) })
  }
}
