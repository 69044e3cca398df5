import SerialTasks

// MARK: - What the executor reports

extension Account {
  func report(_ event: TaskEvent) {
    let name = plan?.kind == .renewals ? renewer(event) : event.job
    // A model may make calls of its own that have no names.
    guard let name else { return }
    world.locked { isReported(event, name) }
    world.point()
    if plan != nil, let job = entries.lastIndex(where: { $0.call.name == name }) {
      return isReportedOfPlan(after: event, job)
    }
    if case .finished = event.kind { storesNext(event.job) }
  }

  private func isReported(_ event: TaskEvent, _ called: String) {
    guard let job = entries.lastIndex(where: { $0.call.name == called }) else {
      return expect(false, "what is reported was asked for", "\(event)")
    }
    checkLabel(event, job)
    if plan != nil { return isReportedOfPlan(event, job) }
    if let number = event.place {
      // On real threads, a caller of a stuck operation may leave when it has just been carried over to a newer one.
      let mayBeCarried = !isExact && options.joinWindow != nil
      let keeps = entries[job].number == nil || entries[job].number == number || mayBeCarried
      expect(keeps, "a job keeps its place", "\(event)")
      entries[job].number = number
    }
    checkTimes(event, job)
    switch event.kind {
    case .waiting, .drafted, .began: entries[job].placed = entries[job].placed ?? tick()
    default: break
    }
    switch event.kind {
    case .waiting, .drafted:
      world.note(name(job), "waits")
      let isDraft = if case .drafted = event.kind { true } else { false }
      expectExactly(!isDraft || entries[job].draft != nil, "only a draft is reported to be one", name(job))
      entries[job].waits += 1
      expect(!entries[job].call.isFlight, "a flight has no line", name(job))
      expect(entries[job].waits == 1, "a job is reported to wait once", name(job))
      let ahead = entries[job].ahead
      let most = mostAhead(of: job)
      expectExactly(
        event.ahead ?? 0 <= most || !world.isQuiet, "no more stand ahead of a job than there are",
        "\(event.ahead ?? 0), not \(most)")
      expect(event.ahead ?? -1 >= ahead, "a job says how many stand ahead of it", "\(event.ahead ?? -1), not \(ahead)")
      checkMerge(job)
      checkCapacity(job)
    case .began: if entries[job].call.isFlight { leads(job) } else { begins(job) }
    case .joined: if entries[job].call.isFlight { joinsFlight(job) } else { joins(job) }
    case .left(let why):
      world.note(name(job), "leaves", brief(why))
      entries[job].lefts += 1
      if why == .withdrawn { entries[job].flight.isToldWithdrawn = true }
    case .replaced:
      world.note(name(job), "is replaced")
      entries[job].ends += 1
      expect(
        entries[job].replacement != nil, "nothing is replaced that has begun, left, or did not ask for it", name(job))
    case .finished, .failed: ends(job, event.kind)
    case .rejected(let why): isRejected(job, why)
    case .heldTooLong: isHeldTooLong(job, event)
    case .served where entries[job].call.isFlight: serves(job)
    default: expect(false, "nothing is served", "\(event)")
    }
    expect(entries[job].ends <= 1, "each job is reported to one end", name(job))
  }

  /// A job that takes the place of another names the keys in the order in which that named them.
  private func checkLabel(_ event: TaskEvent, _ job: Int) {
    let (named, told) = (Set(entries[job].touch.keys ?? []), event.keys)
    expect(told.count == named.count && Set(told) == named, "events name the keys of the job", "\(told)")
  }

  func begins(_ job: Int) {
    let (entry, name) = (entries[job], name(job))
    world.note(name, "begins")
    for other in entries.indices
    where other != job && entries[other].conflicts(with: entry) && !entry.inside.contains(other) {
      let detail = "\(name) and \(self.name(other))"
      let isNested = entries[other].inside.contains(job) || entries[other].isPart
      expect(!isRunning(other) || isNested, "jobs that touch a common key never overlap", detail)
      let isAhead = isPlaced(other, before: job)
      expect(
        !isAhead || passes(job, other) || !isWaiting(other), "on each key, first in, first out by place", detail)
      let isTold = entries[other].replacement == nil || !entries[other].hasHandle || entries[other].outcome != nil
      expect(
        isTold || !entries[last(other)].hasEnded, "handles of what was replaced are settled before the next job", detail
      )
    }
    expect(entry.begins == 0, "each job begins once", name)
    expect(entry.replacement == nil, "exactly one of those that replace each other runs", name)
    let mayBegin = riders(job).contains { !entries[$0].mustNotBegin && entries[$0].outcome == nil }
    // Where nothing is reported, one that begins in the task of the job before it is seen only when it runs.
    let isUnseen = options.isSilent && entry.call.way == .detached && entry.outcome == nil
    let isCertain = isExact || !entry.isRead
    expect(mayBegin || isUnseen || !isCertain, "cancelled before it began means never ran", name)
    expectExactly(
      !isPaused || entry.isNested || entry.mayBeginInPause || awaitsPause && isNeeded(job)
        || pauser != nil && (isPauserInside || entries.contains { $0.draft != nil }),
      "while it is paused no job begins", name)
    let isTooEarly = entry.draft.map { $0.due > now && !$0.mayBeNeeded } ?? false && !(awaitsPause && isNeeded(job))
    expectExactly(!isTooEarly, "a draft that nothing needs waits for a newer one", name)
    let isOver = over.contains { entry.touch.contains($0) }
    expect(!isOver || entry.isNested, "after log-out nothing lands", name)
    expect(!isEnded || entry.isNested || entry.call.isFlight, "a shutdown without time begins nothing", name)
    checkMerge(job)
    checkSlots(job)
    if entry.isNested { delays(job) }
    if entries.contains(where: \.isRunning) { world.meet("jobs that run at the same time") }
    if entry.touch.keys?.count ?? 0 > 1 { world.meet("a job of several keys") }
    entries[job].begins += 1
    entries[job].began = now
    let isLate = riders(job).allSatisfy { entries[$0].deadline.map { $0 < now } ?? false }
    expectExactly(!isLate, "no job begins after the limit on its waiting", name)
  }

  /// Whether a job that runs may wait for the end of this one, or of one behind it.
  private func isNeeded(_ job: Int) -> Bool {
    var (needed, found): (Set<Int>, [Int]) = ([], entries.indices.filter { isPartOfTurn($0) })
    while let part = found.popLast() {
      guard needed.insert(part).inserted else { continue }
      if let newer = entries[part].replacement { found.append(newer) }
      found.append(leader(part))
      found += entries.indices.filter { $0 != part && entries[$0].conflicts(with: entries[part]) }
    }
    return needed.contains(job)
  }

  private func isPartOfTurn(_ job: Int) -> Bool {
    let entry = entries[job]
    return !entry.inside.isEmpty || awaitedInside.contains(entry.call.name)
      || drainedInside.contains { entry.touch.contains($0) }
  }

  /// Slots are given in the order in which jobs become ready: a job that was not ready comes after those that were.
  private func checkSlots(_ job: Int) {
    guard needsSlot(job) else { return }
    expect(slotsLeft > 0, "no more jobs run than there are slots", name(job))
    if !isExact { return }
    if entries[job].wasReady {
      let isBefore = entries[..<job].indices.contains {
        isWaiting($0) && !entries[$0].wasReady && !entries[$0].conflicts(with: entries[job])
      }
      if isBefore { world.meet("a ready job before an earlier one of a busy key") }
      return
    }
    // In a pause only what a running job waits for gets one, or has waited for.
    if options.areSlotsForReads || isPaused { return }
    for other in entries.indices where entries[other].wasReady && isWaiting(other) && needsSlot(other) {
      guard let key = entries[other].touch.keys?.first else { continue }
      expect(isGranted(key), "keys that are ready get slots in turn", "\(name(job)) goes before \(name(other))")
    }
  }

  func ends(_ job: Int, _ kind: TaskEvent.Kind) {
    entries[job].ends += 1
    let (entry, name) = (entries[job], name(job))
    world.note(name, "is over")
    expect(entry.begins == 1 && entry.runs <= 1, "finished or failed if it began, rejected if not", name)
    switch kind {
    case .failed(let error):
      expect(isRightly(Fault.untyped(error), of: entry), "events have the job's error", "\(name): \(error)")
    default: expect(entry.hasEnded && entry.call.work.error == nil, "a job is reported as it ended", name)
    }
  }

  private func isRightly(_ error: any Error, of entry: Entry) -> Bool {
    if let own = error as? JobError { return own === entry.call.work.error }
    if entry.call.isFlight { return entry.runs == 0 && error is CancellationError }
    return entry.runs == 0 && fails(error, entry.touch, entry.failure)
  }

  func isRejected(_ job: Int, _ why: JobRejection) {
    world.note(name(job), "is rejected", brief(why))
    entries[job].ends += 1
    expect(entries[job].begins == 0, "finished or failed if it began, rejected if not", name(job))
    switch why {
    case .full where isExact, .keyFull where isExact: checkMerge(job)
    default: return
    }
    let mayWait = entries.indices.filter {
      let other = entries[$0]
      return $0 != job && other.begins == 0 && other.ends == 0 && !other.hasJoined && other.replacement == nil
        && !other.isPart
    }
    let keys: [String?] = options.isCapacityPerKey ? entries[job].touch.keys ?? [] : [nil]
    let isFull = keys.contains { key in mayWait.count { entries[$0].touch.contains(key) } >= options.capacity ?? .max }
    expect(isFull, "no job is rejected while there is room", name(job))
    if options.capacityOfAll != nil, entries[job].touch.keys != nil {
      world.meet("a job for which all keys together had no room")
    }
  }

  /// Of those who wait, one of each key may have been granted its turn, or has been and was put back; where a job runs, none that
  /// touches every key.
  private func checkCapacity(_ job: Int) {
    guard isExact, let capacity = options.capacityOfAll, !options.areSlotsForReads else { return }
    let waiting = entries.indices.filter { isWaiting($0) }.map { entries[$0] }
      .filter { $0.waits > 0 && $0.touch.keys != [] && !$0.isNested }
    let keys = Set(waiting.flatMap { $0.touch.keys ?? [] })
    let granted = keys.isEmpty ? entries.contains(where: \.isRunning) ? 0 : 1 : keys.count
    expect(
      waiting.count <= capacity + granted, "no more wait than the capacity",
      "\(waiting.count) wait, \(name(job)) the last")
  }
}

// MARK: - Reads that merge

extension Account {
  /// A read that leads had no equal one to join.
  private func checkMerge(_ job: Int) {
    guard let joinable = entries[job].joinable, !entries[job].hasJoined else { return }
    expect(false, "reads that can be one are one", "\(name(job)) could have joined \(name(joinable))")
  }

  private func joins(_ call: Int) {
    entries[call].hasJoined = true
    entries[call].number.map { world.note(name(call), "joins", "\($0)") }
    world.meet("a read is joined")
    let lead = leader(call)
    guard lead != call else { return }
    let (entry, flight, detail) = (entries[call], entries[lead], "\(name(call)) joins \(name(lead))")
    let isEqual = flight.touch == entry.touch && flight.call.isTyped == entry.call.isTyped && !flight.isFirst
    expect(isEqual, "only reads of one key and one kind are one", detail)
    expect(entry.barrier ?? -1 < flight.place, "no read joins across a write", detail)
    let isOver = flight.cleared.map { $0 < entry.moment } ?? false
    expectExactly(!isOver, "no caller joins a read that was cancelled", detail)
    let hasLanded = riders(lead).contains { $0 < call && entries[$0].outcome != nil && !entries[$0].isRejected }
    expectExactly(!hasLanded || flight.ends == 0, "no caller joins a read that has ended", detail)
  }
}
