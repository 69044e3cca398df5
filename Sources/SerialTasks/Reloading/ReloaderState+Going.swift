// How callers and loads go.

extension ReloaderState {
  /// Takes out a caller that was cancelled or must not wait; returns `nil` if it had its answer.
  package mutating func leave(_ caller: Caller, _ why: JobRejection = .cancelled) -> ReloadEffects? {
    guard caller.isWaiting, let load = caller.load else { return nil }
    var effects = ReloadEffects()
    load.waiters.remove(caller)
    caller.state = .rejected(why)
    effects.resume(caller)
    guard load.waiters.isEmpty, !load.isForScreen, load !== landing else { return effects }
    if load === trailing { trailing = nil } else { loading = nil }
    abandon(load, &effects)
    goOn(&effects)
    return effects
  }

  /// Lets no load begin that has not been asked for.
  package mutating func close() { isClosed = true }

  /// Ends all loads but the one that is just being applied, and turns their callers away.
  package mutating func cancel() -> ReloadEffects {
    var effects = ReloadEffects()
    for load in [loading, trailing].compactMap(\.self) {
      load.waiters.removeAll { caller in
        caller.state = .rejected(.withdrawn)
        effects.withdrawn.append(.init(name: caller.name, place: load.place, start: caller.start))
        effects.resume(caller)
      }
      abandon(load, &effects)
    }
    loading = nil
    trailing = nil
    return effects
  }
}
