import SerialTasks

// MARK: - Times

extension Account {
  /// Instants and durations are those of the virtual clock, exactly: no time passes while anybody can go on.
  func checkTimes(_ event: TaskEvent, _ job: Int) {
    // A caller that hesitates begins to wait later than it asked.
    if clock.isHesitant || !isExact { return }
    let (entry, detail) = (entries[job], "\(event), waited \(event.waited as Any), ran \(event.ran as Any), at \(now)")
    let first = start ?? event.instant - .milliseconds(now)
    start = first
    expect(event.instant == first + .milliseconds(now), "an event has the instant at which it happened", detail)
    if options.isLeaping { return }
    let asked = entry.since ?? entry.asked
    func spent(_ from: Int?) -> Duration? { from.map { .milliseconds(now - $0) } }
    /// A job that had its turn at once has waited for access.
    func hasWaited(_ waited: Duration?) -> Bool {
      if entry.waits > 0 { return event.waited == waited }
      if !options.hasEngine { return event.waited == .zero }
      return event.waited.map { $0 >= .zero && $0 <= waited ?? .zero } ?? false
    }
    switch event.kind {
    case .began:
      expect(hasWaited(spent(asked)) && event.ran == nil, "a job says how long it waited", detail)
    case .finished, .failed:
      let ran = options.hasEngine && entry.runs == 0 ? nil : spent(entry.began)
      expect(event.ran == ran, "a job says how long it ran", detail)
      expect(
        hasWaited(entry.began.map { .milliseconds($0 - asked) }), "a job says how long it waited", detail)
      let mayMiss = entry.began.map { now - $0 <= options.turnLimit ?? .max } ?? true
      expect(mayMiss || entry.isOverdue, "a turn that takes too long is reported", detail)
    case .rejected, .replaced:
      expect(hasWaited(spent(entry.asked)) && event.ran == nil, "a job says how long it waited", detail)
    case .left:
      expect(event.waited == spent(entry.asked) && event.ran == nil, "a caller says how long it waited", detail)
    case .heldTooLong: expect(event.ran == spent(entry.began), "a job says how long it has run", detail)
    default: expect(event.waited == nil && event.ran == nil, "only what began or ended has times", detail)
    }
  }

  func isHeldTooLong(_ job: Int, _ event: TaskEvent) {
    let entry = entries[job]
    world.note(name(job), "is held too long")
    let isTooLong = entry.began.map { now - $0 >= options.turnLimit ?? .max } ?? false
    let isRightly = isTooLong && entry.ends == 0 || !isExact
    expect(isRightly && !entry.isOverdue, "a turn that takes too long is reported, once", name(job))
    entries[job].isOverdue = true
  }

  // MARK: Priorities

  /// Who runs, runs at least as high as all who wait for it: behind it, for its handle, or to drain.
  func checkPriority(_ job: Int) {
    // The task of an operation that all callers have left is not known to the library any more.
    let isUnknown = Task.isCancelled || !riders(job).contains { isWanting($0) }
    if entries[job].isRead, isUnknown || plan != nil && !isPlanSure { return }
    let needed = levels()[job]
    let runs = Task.currentPriority.rawValue
    expect(
      runs >= needed, "who waits raises those whom it waits for",
      "\(name(job)) runs at \(runs), and \(needed) waits for it")
  }

  /// For each job, the highest priority of those who wait for its end.
  ///
  /// Through a job that waits on several keys, it may come late: then only who waits for that job itself counts.
  private func levels() -> [UInt8] {
    let callers = entries.indices.map { job in
      riders(job).filter { isWanting($0) }.flatMap { [entries[$0].priority] + entries[$0].awaited }.max() ?? 0
    }
    var levels = callers
    let order = entries.indices.filter { isWaiting($0) || isRunning($0) }.sorted { isBefore($1, $0) }
    // Twice: who waits for a slot may stand ahead of who has one.
    for job in order + order {
      for drainer in drainers
      where job < drainer.asked && !entries[job].call.isFlight && entries[job].touch.contains(drainer.key) {
        levels[job] = max(levels[job], drainer.priority)
      }
      for other in order where isWaiting(other) && (isAhead(job, of: other) || keepsSlot(job, from: other)) {
        let isOfOneKey = entries[other].touch.keys.map { Set($0).count == 1 } ?? true
        levels[job] = max(levels[job], isOfOneKey ? levels[other] : callers[other])
      }
    }
    return levels
  }

  /// Whether the job has a slot, and the other certainly waits for nothing else.
  private func keepsSlot(_ job: Int, from other: Int) -> Bool {
    isRunning(job) && needsSlot(job) && needsSlot(other) && entries[other].wasReady && slotsLeft <= 0 && !isPaused
  }

  private func isAhead(_ job: Int, of other: Int) -> Bool {
    guard job != other, entries[job].conflicts(with: entries[other]), !entries[other].inside.contains(job) else {
      return false
    }
    // What was called in a turn goes before jobs that have none; whether one has its turn is not known.
    return isRunning(job) || entries[job].place < entries[other].place && !passes(other, job)
  }
}
