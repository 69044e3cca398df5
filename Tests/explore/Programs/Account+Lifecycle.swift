import SerialTasks

// MARK: - Lifecycle, as seen from outside

extension Account {
  /// From now on the job must not begin, if it has not.
  func forbid(_ job: Int) {
    // One that was granted access, and is cancelled then, may begin.
    let isExact = isExact && !options.hasEngine && (!entries[job].isRead || entries[job].isFirst)
    if entries[job].begins == 0, isExact { entries[job].mustNotBegin = true }
    entries[job].mustLeave = true
    entries[job].wasCancelled = true
    if let plan {
      // It leaves now, also before it is reported that it boards, or when it goes on.
      self.plan!.leave(job, isCertain: plan.kind == .loads || world.isQuiet)
      return
    }
    let isShared = entries[job].isRead && !entries[job].isFirst
    if isShared, !riders(job).allSatisfy({ entries[$0].mustLeave || entries[$0].outcome != nil }) { return }
    if entries[job].call.isFlight, !isStopped(leader(job)) { return }
    forbidInside(leader(job))
  }

  /// The task of a job that runs is about to be cancelled, and is that of what the job calls.
  ///
  /// The task of a read's operation may be cancelled later, by the caller that leaves last.
  func forbidInside(_ job: Int) {
    for other in entries.indices where entries[other].inside.contains(job) && entries[other].outcome == nil {
      if entries[job].isRead, !entries[job].isFirst { entries[other].wasCancelled = true } else { forbid(other) }
    }
  }

  /// The task is about to be cancelled: it leaves what it waits for, and what it runs sees it.
  func cancels(_ name: String, _ calls: Set<String>) {
    world.locked {
      cancelled.formUnion(calls.union([name]))
      if closers.contains(name) { forced = now }
      if pauser == name, isPaused {
        isResumed()
        isPauserCancelled = true
      }
      for job in entries.indices
      where calls.contains(self.name(job)) && entries[job].call.way == .awaited && entries[job].outcome == nil {
        forbid(job)
      }
    }
  }

  /// Clears the key, or all of them.
  func cancelAll(_ key: String?, _ clear: () -> Void) {
    world.locked { clearing.append(key) }
    defer { world.locked { _ = clearing.remove(at: clearing.firstIndex(of: key)!) } }
    if options.hasFlights { return withdraw(key, clear) }
    let begun = world.locked { clears(key) }
    clear()
    world.locked { for job in begun { entries[job].isToldToStop = true } }
  }

  /// Returns the jobs that will be told to stop.
  private func clears(_ key: String?) -> [Int] {
    world.note(key ?? "all", "is cleared")
    let cleared = entries.indices.filter {
      let entry = entries[$0]
      return entry.touch.contains(key) && (entry.outcome == nil || entry.isRunning) && entry.replacement == nil
        && !entry.isPart
    }
    for job in cleared {
      // What it has joined does not begin either, also when the caller that asked for that has left.
      if isExact, entries[leader(job)].begins == 0 { entries[leader(job)].mustNotBegin = true }
      entries[job].wasCleared = true
      entries[job].cleared = entries[job].cleared ?? tick()
    }
    // An operation that all callers have left is for the last of them to stop.
    let begun = cleared.filter {
      let (entry, isWanted) = (entries[$0], riders($0).contains { isWanting($0) })
      return entry.isRunning && (entry.isRead ? !entry.isFirst && isWanted : entry.isSubmitted)
    }
    for job in begun { forbidInside(job) }
    return begun
  }

  /// Drains the key, or all of them, and checks that nothing is left of what was asked for before.
  nonisolated(nonsending) func drain(
    _ name: String, _ key: String?, inside: [Int], _ drain: nonisolated(nonsending) () async throws -> Void
  ) async {
    let (wasClosed, asked, isInside) = world.locked {
      (
        isClosed, entries.indices.filter { entries[$0].touch.contains(key) && isToEnd($0) },
        inside.contains { entries[$0].touch.contains(key) && !entries[$0].isPart }
      )
    }
    world.locked {
      needsDrafts(key)
      if !inside.isEmpty { drainedInside.append(key) }
    }
    world.note(name, "drains", key ?? "all")
    do { try await draining(key, drain) } catch {
      world.note(name, "leaves the drain", "\(error)")
      let isDeadlock = if case JobRejection.deadlock = error { !inside.isEmpty } else { false }
      let isCancelled = error is CancellationError && Task.isCancelled
      return expect(
        isDeadlock || isCancelled, "drain throws only when its caller is cancelled, or waits for itself", "\(error)")
    }
    world.note(name, "has drained")
    expect(!isInside, "a drain inside a turn is rejected", name)
    world.locked {
      checkDrained(asked)
      if wasClosed { over.append(key) }
    }
  }

  /// Pauses, and checks that nothing runs when that returns; returns whether it is paused.
  nonisolated(nonsending) func pause(
    _ name: String, inside: [Int], _ pause: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    let resumes = world.locked {
      (awaitsPause, pauser, isPauserInside) = (true, name, !inside.isEmpty)
      // For one that is cancelled, nothing begins.
      if !Task.isCancelled { needsDrafts() }
      return self.resumes - resuming
    }
    defer { world.locked { (pauser, isPauserCancelled) = (nil, false) } }
    do { try await draining(nil, pauses: true, pause) } catch {
      let isDeadlock = if case JobRejection.deadlock = error { !inside.isEmpty } else { false }
      let isCancelled = error is CancellationError && Task.isCancelled
      let isEnded = error as? JobRejection == .withdrawn && self.resumes > resumes
      if isEnded { world.meet("a pause is ended for one who waits") }
      expect(
        isDeadlock || isCancelled || isEnded,
        "a pause fails only when its caller is cancelled, it is ended, or it waits for itself", "\(error)")
      return false
    }
    world.note(name, "has paused")
    expect(inside.isEmpty, "a pause inside a turn is rejected", name)
    world.locked {
      // It was cancelled when it had waited.
      if isPauserCancelled { (isPaused, self.resumes) = (true, self.resumes - 1) }
      let running = entries.indices.filter { isRunning($0) && !entries[$0].isPart }
      let isEnded = self.resumes > resumes
      expectExactly(
        running.isEmpty || isEnded, "paused means that nothing runs", running.map { self.name($0) }.joined())
      world.meet("a pause that waits")
    }
    return true
  }

  func isResumed() {
    (isPaused, awaitsPause) = (false, false)
    resumes += 1
    // Those that were held back get slots in the order of their places.
    for job in entries.indices { entries[job].wasReady = false }
  }

  /// Whether who drains now waits for it.
  private func isToEnd(_ job: Int) -> Bool {
    let entry = entries[job]
    if case .waits = plan?.fates[job] { return true }
    return entry.call.isFlight ? entry.begins > 0 || plan == nil && isExact && isClosed : isExact || entry.placed != nil
  }

  func checkDrained(_ asked: [Int]) {
    for job in asked where !entries[job].isPart {
      let entry = entries[job]
      if entry.call.isFlight {
        var isOver = entry.begins == 0 || entry.ends > 0
        if isPlanSure, case .waits = plan!.fates[job] { isOver = false }
        expect(isOver, "drained means that nothing waits or runs", name(job))
        continue
      }
      // A caller that left reports it itself, when it goes on.
      if !isExact, entry.begins == 0 { continue }
      let isGone =
        !entry.isSubmitted
        && (entry.deadline ?? .max <= now || entry.mustNotBegin || entry.mustLeave || mayBeForced || entry.hasJoined)
        && !entry.isRunning
      let isUnheard = options.isSilent && entry.begins == 0 && (entry.mustNotBegin || mayBeForced)
      let isAway = entry.ends == 1 || isUnheard || isGone || entry.hasJoined || (entry.lefts > 0 && entry.begins == 0)
      expect(isAway, "drained means that nothing waits or runs", name(job))
      // The outcome of what was replaced may still be handed over by the call that replaces it.
      expectExactly(
        entry.outcome != nil || !entry.hasHandle || entry.replacement != nil,
        "who drains waits for those who are being told", name(job))
    }
  }

  /// Shuts down, and checks that all have ended when that returns.
  nonisolated(nonsending) func shutDown(_ name: String, _ limit: Int, inside: [Int], _ executor: any Drainable) async {
    let (asked, due, moment, isWaited) = world.locked {
      world.note(name, "shuts down", "\(limit)")
      isClosing = true
      let due = now + limit
      // Its limit is over when its caller is cancelled, and when it would wait for itself.
      let isCancelled = Task.isCancelled || !isExact && cancelled.contains(name)
      let isNow = limit <= 0 || isCancelled || !inside.isEmpty
      if !isNow { needsDrafts() }
      if isExact { (isClosed, isEnded) = (true, isEnded || isNow) }
      forced = isCancelled || !inside.isEmpty ? now : min(forced ?? .max, due)
      closers.append(name)
      let isWaited = isNow && entries.indices.contains { isWaiting($0) && !entries[$0].call.isFlight }
      return (entries.indices.filter { isToEnd($0) && !inside.contains($0) }, due, tick(), isWaited)
    }
    let hasEnded = await draining(nil) { await executor.shutDown(within: .milliseconds(limit)) }
    world.note(name, "has shut down", "\(hasEnded)")
    world.locked {
      isClosed = true
      expectExactly(!hasEnded || now <= due || options.isLeaping, "a shutdown that comes to its limit says so", name)
      let isInterrupted = asked.contains {
        entries[$0].cleared ?? 0 > moment && entries[$0].outcome == .rejected(.withdrawn)
      }
      expectExactly(!hasEnded || !isInterrupted && !isWaited, "a shutdown says whether all ended by itself", name)
      checkDrained(asked)
      if inside.isEmpty { over.append(nil) }
    }
  }

  func close(_ close: () -> Void) {
    world.locked {
      isClosing = true
      needsDrafts()
      if isExact { isClosed = true }
    }
    close()
    world.locked { isClosed = true }
  }

  /// Comes back when no other task can go on: by then each job has begun that nothing is in the way of.
  func rest() async {
    await world.sleep(1)
    if world.broken == nil, isExact { checkRest() }
  }

  private func checkRest() {
    for job in entries.indices {
      let entry = entries[job]
      if entry.outcome == nil, entry.mustLeave, !entry.isPart, !entry.isRunning || entry.isRead && !entry.isFirst {
        expect(false, "who is cancelled leaves at once", name(job))
      }
      if let deadline = entry.deadline, deadline < now, entries[leader(job)].begins == 0, entry.outcome == nil,
        !entry.isPart
      {
        expect(false, "who has a limit leaves when it has passed", name(job))
      }
      if entry.deadline == now { entries[job].wasReady = true }
      guard !entry.call.isFlight, isWaiting(job) else { continue }
      let isBlocked =
        isHeldElsewhere(entry.touch)
        || entries.indices.contains { other in
          guard other != job, entries[other].conflicts(with: entry), !entries[other].isPart else { return false }
          // One that has its turn may wait for access.
          if isRunning(other) || mayStand(other) && isHeldElsewhere(entries[other].touch) { return true }
          return mayStand(other) && isBefore(other, job)
        }
      let isDraft = isHeldBack(job)
      entries[job].wasReady = !isBlocked && !isDraft
      // In a pause, a job that has its turn asks for no access, and a call in another may wait for it.
      if isDraft || isBlocked || (isPaused && (options.hasEngine || !entry.isNested)) { continue }
      expect(
        needsSlot(job) && slotsLeft <= 0, "a job waits only for those that it conflicts with, or for a slot", name(job))
      world.meet("a wait for a slot")
    }
    checkCounts()
    checkReport()
    checkTimers()
  }

  /// Where nothing has a limit, nothing sleeps.
  private func checkTimers() {
    if options.hasFlights || options.hasEngine || options.turnLimit != nil || !closers.isEmpty { return }
    let isTimed = entries.contains {
      $0.outcome == nil && ($0.deadline != nil || $0.draft != nil || !$0.inside.isEmpty)
    }
    expect(
      isTimed || !awaitedInside.isEmpty || !drainedInside.isEmpty || clock.sleepers.isEmpty,
      "a timer ends with what it was set for", "\(clock.sleepers.count) sleep")
  }

  /// Whether the write may still wait for a newer one: nothing waits behind it, or for its end.
  private func isHeldBack(_ job: Int) -> Bool {
    guard let draft = entries[job].draft, draft.due >= now || clock.isHesitant else { return false }
    let isDrained = drainers.contains { $0.asked > entries[job].place && entries[job].touch.contains($0.key) }
    let isInTheWay = entries.indices.contains {
      $0 != job && entries[$0].place > entries[job].place && isWaiting($0) && entries[$0].conflicts(with: entries[job])
        && !isHeldBack($0)
    }
    return !isClosed && !isDrained && !isInTheWay
  }

  private func checkCounts() {
    // Who has come to its limit just now may have left or not.
    if entries.contains(where: { $0.deadline == now && $0.outcome == nil }) { return }
    let running = entries.indices.filter { isRunning($0) && !entries[$0].isPart }
    let reading = running.count { entries[$0].isRead }
    let counts =
      options.hasFlights
      ? flightCounts()
      : Counts(
        waiting: entries.indices.count { isWaiting($0) }, reading: reading, writing: running.count - reading,
        isPaused: isPaused, isClosed: isClosed)
    guard let counts else { return }
    if let seen = mismatch(counts) { expect(false, "snapshots say what is so", "\(seen), not \(counts)") }
  }

  /// What must be true when every task has ended.
  func check() {
    if plan != nil { checkPlanAtTheEnd() }
    for (job, entry) in entries.enumerated() {
      let name = entry.call.name
      expect(entry.outcome != nil || entry.isAhead, "each call is answered", name)
      expect(
        entry.told.allSatisfy { $0 == entry.outcome }, "all who wait get the job's result", "\(name): \(entry.told)")
      expect(
        entry.replacement == nil || entry.outcome == entries[last(job)].outcome,
        "every handle has the outcome of the newest", name)
      if entry.isPart { continue }
      let isCaller = entry.isRead && !entry.isFirst && entry.number != nil
      let mayRun = !entry.hasJoined && entry.replacement == nil
      if entry.call.isFlight {
        checkFlight(job)
      } else if !isCaller {
        expect(
          entry.runs == (entry.isRejected || !mayRun || isEngine(entry) ? 0 : 1),
          "each job runs once or is rejected once", name)
      }
      if !entry.call.isFlight {
        expect(entry.ends == (entry.hasJoined ? 0 : 1), "each job is reported to its end", name)
      }
      let isSure = plan == nil || isPlanSure
      expect(
        !isSure || entry.lefts == (isCaller && entry.isRejected ? 1 : 0), "a caller that leaves is reported, once", name
      )
    }
    let counts = Counts(waiting: 0, reading: 0, writing: 0, isPaused: isPaused, isClosed: isClosed)
    if let seen = mismatch(counts) { expect(false, "nothing is lost: nothing waits or runs in the end", seen) }
  }

  /// Whether all calls are answered, and nothing is left of them.
  var isSettled: Bool {
    let counts = Counts(waiting: 0, reading: 0, writing: 0, isPaused: false, isClosed: isClosed)
    return world.locked {
      entries.allSatisfy { ($0.outcome != nil || $0.isAhead) && ($0.begins == 0 || $0.ends > 0 || $0.isPart) }
    }
      && mismatch(counts) == nil
  }

  private func isEngine(_ entry: Entry) -> Bool { if case .engine = entry.outcome { true } else { false } }
}

// MARK: - Handles

extension Account {
  func cancelHandle(_ job: Int, _ handle: Handle) {
    let wasRunning = world.locked {
      world.note(name(job), "is cancelled by its handle")
      let entry = entries[job]
      // What was replaced is not affected, and neither is what has taken its place.
      if entry.replacement == nil, entry.outcome == nil {
        if isWaiting(job), entry.place != job { world.meet("a replacement is cancelled") }
        forbid(job)
      }
      return entry.isRunning && !entry.isRead
    }
    handle.cancel()
    if wasRunning { world.locked { entries[job].isToldToStop = true } }
  }

  nonisolated(nonsending) func awaiting(
    _ name: String, _ wait: nonisolated(nonsending) () async -> Result<Int, any Error>
  ) async -> Result<Int, any Error> {
    let priority = Task.currentPriority.rawValue
    let job = world.locked {
      let job = self.job(called: name)
      entries[job].awaited.append(priority)
      return job
    }
    let result = await wait()
    world.locked { _ = entries[job].awaited.remove(at: entries[job].awaited.firstIndex(of: priority)!) }
    return result
  }

  private func job(called name: String) -> Int { entries.firstIndex { $0.call.name == name }! }

  /// Whether the job of this name has no answer yet.
  func isUnanswered(_ name: String) -> Bool { world.locked { entries[job(called: name)].outcome == nil } }

  /// All who wait for a job get its result.
  func isTold(_ name: String, _ result: Result<Int, any Error>, inside: [Int]) {
    world.locked {
      let job = self.job(called: name)
      let outcome = outcome(of: result, job)
      if outcome == .rejected(.cancelled), Task.isCancelled { return }
      if case .rejected(.deadlock(let why)) = outcome, !inside.isEmpty {
        let isNamed = why.path.first?.hasPrefix("\(name) in ") ?? false
        return expect(isNamed || !options.areNamed, "a deadlock names the job that is awaited", "\(name): \(why.path)")
      }
      entries[job].told.append(outcome)
    }
  }
}
