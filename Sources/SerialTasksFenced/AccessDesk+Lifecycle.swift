extension AccessDesk {
  /// Clears the line after the jobs are marked, and before those that wait for access are woken.
  func withdraw(_ key: Key? = nil, clear: () -> Void) {
    let wake = markWithdrawn(key)
    clear()
    wake()
  }

  /// Returns a closure that wakes the jobs that wait for access.
  @inline(never)
  func markWithdrawn(_ key: Key? = nil) -> @Sendable () -> Void {
    let key = key.map { StableKey($0) }
    let fronts = entries.withLock { entries in
      let withdrawn = key.map { key in entries.byKey[key].map { [$0] } ?? [] } ?? entries.all
      return withdrawn.map { entry in
        entry.state.withdraw()
        return entry.front
      }
    }
    return { for front in fronts { front?.open() } }
  }

  @inline(never)
  func close() {
    update { entries in
      entries.isClosed = true
      return entries.all.map { ($0, $0.state.giveUpKept()) }
    }
  }
}

extension AccessDesk {
  /// A caller of `drain`, for access that jobs up to this place have used or asked for.
  struct Drain: Sendable {
    let place: Place
    let entries: [Entry]
  }

  @inline(never)
  func beginDrain(_ key: Key? = nil) -> Drain {
    let key = key.map { StableKey($0) }
    var drain: Drain?
    update { entries in
      // Under the lock: a job with a later place asks for access after this.
      let place = line.lastPlace
      // A job has an entry before it has a place.
      let drained = key.map { key in entries.byKey[key].map { [$0] } ?? [] } ?? entries.all
      drain = Drain(place: place, entries: drained)
      return drained.map { ($0, $0.state.beginDrain(upTo: place)) }
    }
    return drain!
  }

  @inline(never)
  func endDrain(_ drain: Drain) {
    update { _ in
      drain.entries.map { entry in
        entry.state.endDrain(upTo: drain.place)
        return (entry, .nothing)
      }
    }
  }

  /// Waits until the access is released, which later jobs do not use.
  nonisolated(nonsending) func released(_ drain: Drain) async -> JobRejection? {
    for holding in holdings(awaitedBy: drain) { if let why = await holding.ended() { return why } }
    return nil
  }

  @inline(never)
  private func holdings(awaitedBy drain: Drain) -> [Holding] {
    entries.withLock { _ in drain.entries.flatMap { $0.state.awaited(upTo: drain.place) } }
  }
}

extension AccessDesk {
  /// Notes that a pause may have begun or ended: unused access is released, and jobs that wait for access check for
  /// the pause.
  @inline(never)
  func notePause() {
    var opened: [Latch] = []
    update { entries in
      // Under the lock: of several calls, the last one stores the line's latest state.
      entries.isPaused = line.isPaused
      // A job may have seen a pause that began and ended meanwhile.
      opened = entries.all.compactMap(\.front)
      if !entries.isPaused, let quiet = entries.quiet.take() { opened.append(quiet) }
      return entries.isPaused ? entries.all.map { ($0, $0.state.giveUp()) } : []
    }
    for latch in opened { latch.open() }
  }

  /// Waits until the line is paused and there is no request.
  nonisolated(nonsending) func quiet() async -> JobRejection? {
    while let next = nextQuiet() {
      switch next {
      case .rejected(let why): return why
      case .wait(let latch): if let why = await latch.wait() { return why }
      }
    }
    return nil
  }

  private enum Quiet {
    case rejected(JobRejection)
    case wait(Latch)
  }

  @inline(never)
  private func nextQuiet() -> Quiet? {
    entries.withLock { entries in
      if !entries.isPaused { return .rejected(.withdrawn) }
      if entries.requests == 0 { return nil }
      let latch = entries.quiet ?? Latch(clock: clock)
      entries.quiet = latch
      return .wait(latch)
    }
  }
}
