// MARK: - All keys at once

extension KeyedLines {
  /// Does the same to many lines in one step: no job begins between one line and the next.
  ///
  /// - Returns: What came of it, in the order in which keys have become busy and not in that of a dictionary.
  private func change<Result: Sendable>(
    _ lines: (inout KeyedLineTable<Key>) -> [KeyedLine], _ change: (inout LineState) -> Result
  ) -> [(line: KeyedLine, since: UInt64, result: Result)] {
    let changed = table.withLock { table in
      lines(&table).map { line in
        (line: line, since: line.since, result: line.state.withLock { change(&$0) })
      }
    }
    return changed.sorted { $0.since < $1.since }
  }

  func pause() { _ = change({ $0.pause() }, { $0.pause() }) }

  func resume() {
    for (line, _, aftermath) in change({ $0.resume() }, { Aftermath($0.resume()) }) {
      line.carryOut(aftermath)
    }
  }

  func close() { _ = change({ $0.close() }, { $0.close() }) }

  /// Each line is held until all whom it turns away have been told.
  func withdrawAll() {
    for (line, _, withdrawn) in change({ $0.holdAll() }, { Line.Withdrawn(from: &$0) }) {
      line.carryOut(withdrawn)
      release(line)
    }
  }

  /// Returns when no key is busy, or why the caller did not wait for that.
  nonisolated(nonsending) func drain() async -> JobRejection? {
    if table.withLock({ $0.lines.isEmpty }) { return nil }
    let waiter = Waiter(priority: Task.currentPriority.rawValue)
    var mustWait = false
    var raises: [(line: KeyedLine, raise: LineState.Raise)] = []
    let register = {
      (mustWait, raises) = self.table.withLock { table in
        table.awaitIdle(waiter) ? (true, table.raiseAll(to: waiter.priority)) : (false, [])
      }
      return mustWait
    }
    if HeldTurn.innermost == nil {
      _ = register()
    } else {
      let own = HeldTurn.node { isOwn($0) }?.label
      let wait = Wait(for: own ?? KeyedLine.label(nil, executor: name, owner: ObjectIdentifier(self))) {
        self.blockers(of: waiter)
      }
      if let deadlock = WaitGraph.begin(wait, join: register) { return .deadlock(deadlock) }
      if mustWait { waiter.wait = wait }
    }
    guard mustWait else { return nil }
    for (line, raise) in raises { line.carryOut(raise) }
    await Suspension.park(leave: { self.leaveDrain(waiter) }, register: { self.park(waiter, $0) })
    if let wait = waiter.wait.take() { WaitGraph.end(wait) }
    return table.withLock { _ in waiter.rejection }
  }

  /// Every key that is busy stands in the way of who drains.
  private func blockers(of waiter: Waiter) -> Blockers {
    table.withLock { table in
      guard waiter.isWaiting else { return .nobody }
      var nodes: [WaitNode] = []
      for line in table.lines.values.sorted(by: { $0.since < $1.since }) { nodes += line.blockers(of: nil).nodes }
      return .all(nodes)
    }
  }

  private func isOwn(_ node: WaitNode) -> Bool { (node as? KeyedLine)?.owner == ObjectIdentifier(self) }

  private func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    table.withLock { _ in
      guard waiter.isWaiting else { return false }
      waiter.suspension = suspension
      return true
    }
  }

  private func leaveDrain(_ waiter: Waiter) {
    let own = table.withLock { $0.leaveDrain(waiter) ? waiter.takeSuspension() : nil }
    own?.resume()
  }

  var snapshot: KeyedExecutorSnapshot {
    table.withLock { table in
      let lines = table.lines.values.map(\.snapshot)
      return KeyedExecutorSnapshot(
        waiting: lines.reduce(0) { $0 + $1.waiting }, running: lines.count { $0.isRunning }, isPaused: table.isPaused,
        isClosed: table.isClosed, capacityPerKey: capacity)
    }
  }

  var size: (busy: Int, capacity: Int, spares: Int) {
    table.withLock { ($0.lines.count, $0.lines.capacity, $0.spares.count) }
  }
}

// MARK: - One key

extension KeyedLines {
  /// The line of a key that is busy, which stays its line until it is given back.
  private func hold(_ key: Key) -> KeyedLine? {
    let key = StableKey(key)
    return table.withLock { table in
      let line = table.lines[key]
      line?.users += 1
      return line
    }
  }

  func withdrawAll(of key: Key) {
    guard let line = hold(key) else { return }
    line.withdrawAll()
    release(line)
  }

  nonisolated(nonsending) func drain(_ key: Key) async -> JobRejection? {
    guard let line = hold(key) else { return nil }
    defer { release(line) }
    return await line.drain()
  }

  func snapshot(of key: Key) -> ExecutorSnapshot {
    let key = StableKey(key)
    return table.withLock { table in
      table.lines[key]?.snapshot
        ?? ExecutorSnapshot(
          waiting: 0, isRunning: false, running: nil, isPaused: table.isPaused, isClosed: table.isClosed,
          capacity: capacity)
    }
  }

  /// Whether the running code certainly holds the turn of the key.
  func isInside(_ key: Key) -> Bool {
    // Whoever is inside uses the line, so it is the key's for as long as that matters.
    let key = StableKey(key)
    guard let line = table.withLock({ $0.lines[key] }) else { return false }
    return HeldTurn.isInside(line)
  }

  /// What deadlocks and events call the key.
  func label(of key: Key) -> String { KeyedLine.label(key, executor: name, owner: ObjectIdentifier(self)) }
}
