// How callers leave, and loads are cancelled.

extension ReloaderState {
  /// Rejects a caller that was cancelled or must not wait; one that has already had its answer is not affected.
  package mutating func leave(_ caller: FlightCaller, _ why: JobRejection = .cancelled) -> FlightEffects {
    var effects = FlightEffects()
    guard caller.isWaiting else { return effects }
    caller.state = .rejected(why)
    // It may not have boarded yet.
    guard let boarded = caller.flight else { return effects }
    // Safe because callers wait for this reloader's own loads only.
    let load = unsafeDowncast(boarded, to: Load.self)
    load.waiters.remove(caller)
    effects.resume(caller)
    guard load.waiters.isEmpty, !load.staysWanted, load !== landing else { return effects }
    if load === trailing { trailing = nil } else { loading = nil }
    interruptions += 1
    effects.abandon(load)
    effects.resume(load.unpark())
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
