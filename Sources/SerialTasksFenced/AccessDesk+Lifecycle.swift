// Requests and changes that concern all keys at once.

extension AccessDesk {
  /// Withdraws all jobs that have arrived and not begun, of one key or of all.
  ///
  /// The line is cleared after the jobs are marked, and before jobs that wait for access are woken.
  func withdraw(_ key: Key? = nil, clear: () -> Void) {
    let wake = markWithdrawn(key)
    clear()
    wake()
  }

  /// Withdraws the jobs that wait for access; returns a closure that wakes them.
  @inline(never)
  func markWithdrawn(_ key: Key? = nil) -> () -> Void {
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

  /// Notes that no more jobs will arrive: access is not kept from now on.
  func close() { _ = beginDrain() }

  /// Notes that a caller waits until the keys that have jobs or access now are released; nothing is kept meanwhile.
  ///
  /// - Returns: These keys.
  @inline(never)
  func beginDrain() -> [Key] {
    var keys: [Key] = []
    update { entries in
      entries.drains += 1
      keys = entries.all.map(\.key.key)
      return entries.all.map { ($0, $0.state.giveUpKept()) }
    }
    // After that, because the entry of a key may be removed while its access is being released.
    return keys + requests.line.busyKeys
  }

  @inline(never)
  func endDrain() { entries.withLock { $0.drains -= 1 } }

  /// Notes that a caller waits until one key is not held.
  @inline(never)
  func beginDrain(_ key: Key) -> Entry {
    let key = StableKey(key)
    var drained: Entry?
    update { entries in
      let entry = entries.entry(of: key, terms)
      drained = entry
      return [(entry, entry.state.beginDrain())]
    }
    return drained!
  }

  @inline(never)
  func endDrain(_ entry: Entry) {
    update { _ in
      entry.state.endDrain()
      return [(entry, .nothing)]
    }
  }
}

// MARK: - Pausing

extension AccessDesk {
  /// Notes whether the line is paused, whenever that may have changed.
  ///
  /// In a pause, unused access is released. Jobs that wait for access find out whether the pause holds them back.
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

  /// Waits until the line is paused and there is no request; returns why the caller stopped waiting earlier, if it did.
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
