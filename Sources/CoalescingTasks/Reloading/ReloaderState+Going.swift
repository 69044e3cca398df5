// How callers leave, and loads are cancelled.

extension ReloaderState {
  /// Removes a caller that was cancelled or must not wait; returns `nil` if it already had its answer.
  package mutating func leave(_ caller: Caller, _ why: JobRejection = .cancelled) -> FlightEffects? {
    guard caller.isWaiting, let load = caller.carrier else { return nil }
    var effects = FlightEffects()
    load.waiters.remove(caller)
    caller.state = .rejected(why)
    effects.common.resume(caller)
    guard load.waiters.isEmpty, !load.kept.isForScreen, load !== landing else { return effects }
    if load === trailing { trailing = nil } else { loading = nil }
    abandon(load, &effects)
    goOn(&effects)
    return effects
  }

  /// Rejects later requests.
  ///
  /// Loads that were requested before still begin.
  package mutating func close() { isClosed = true }

  /// Abandons all loads except the one that is being applied, and rejects their callers.
  package mutating func cancel() -> FlightEffects {
    var effects = FlightEffects()
    for load in [loading, trailing].compactMap(\.self) {
      interruptions += 1
      effects.withdraw(load)
      effects.resume(load.unpark())
    }
    loading = nil
    trailing = nil
    return effects
  }
}
