import SerialTasks

// What is asked or done for all keys at once.

extension AccessDesk {
  /// Withdraws all jobs that have arrived and not begun, of one key or of all.
  ///
  /// The line in front of it is cleared between marking the jobs and waking those that wait for access.
  func withdraw(_ key: Key? = nil, clear: () -> Void) {
    let wake = markWithdrawn(key)
    clear()
    wake()
  }

  /// Withdraws the jobs that wait for access; returns what wakes them.
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

  /// Notes that no job comes any more: access is not kept from now on.
  func close() { beginDrain() }

  /// Notes that a caller waits until nothing is held of any key; nothing is kept meanwhile.
  @inline(never)
  func beginDrain() {
    update { entries in
      entries.drains += 1
      return entries.all.map { ($0, $0.state.giveUpKept()) }
    }
  }

  @inline(never)
  func endDrain() { entries.withLock { $0.drains -= 1 } }

  /// Notes that a caller waits until nothing is held of one key.
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

  /// Returns whether there is no job and no access at the same moment, of one key or at all.
  ///
  /// The line is looked at under the lock of the requests, so that none begins or ends between the two.
  func isIdle(_ key: Key? = nil) -> Bool {
    // Not hashed under a lock.
    let key = key.map { StableKey($0) }
    return requests.line.isIdle(key) { line.isIdle(key) }
  }
}

// MARK: - Pausing

extension AccessDesk {
  /// Notes whether the line is paused, whenever that may have changed.
  ///
  /// While it is, access that no job uses is given up. What waits for access finds out whether it is held back.
  @inline(never)
  func notePause() {
    var opened: [Latch] = []
    update { entries in
      // Under the lock: of several calls, the last one notes what the line says last.
      entries.isPaused = line.isPaused
      // A job may have seen a pause that has come and gone meanwhile.
      opened = entries.all.compactMap(\.front)
      if !entries.isPaused, let quiet = entries.quiet.take() { opened.append(quiet) }
      return entries.isPaused ? entries.all.map { ($0, $0.state.giveUp()) } : []
    }
    for latch in opened { latch.open() }
  }

  /// Returns when the line is paused and there is no request; returns why the caller did not wait for that.
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
