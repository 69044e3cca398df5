extension Reloader: WaitSource {
  package func holdings() -> Holdings {
    let label = label
    return Holdings(
      kind: "Reloader", clock: clock, holdings: state.withLock { $0.loads.holdings(named: label) })
  }
}
