import CoalescingTasks

// MARK: - Flights, which callers share

extension Account {
  /// What is known of a caller of flights, and of the flight that it leads.
  ///
  /// A flight begins, is joined and is served from in the very step that is reported: nothing comes between the library's
  /// decision and the event, so the order of the events is the order of the decisions.
  struct Flight {
    /// What the caller read from the clock when it came, if that is known; and when the flight began and was stored.
    var reading: Int?
    var began: Int?
    var stored: Int?
    var hasBoarded = false
    /// The moments, counted, at which its key was invalidated or cancelled, and at which its caller was served.
    var forgotten: Int?
    var served: Int?
    /// Another has its place, because it was too old.
    var isDetached = false
    var isWithdrawn = false
    /// Whether a task is in the middle of withdrawing it, and cancels its operation last.
    var isBeingWithdrawn = false
    var hasAnswered = false
    var isConsumed = false
    /// Whether a caller has it that may not have been answered yet.
    var isTaken = false
    /// Whether it is not known if it was stored: its last caller was about to leave.
    var isVague = false
    /// Of its caller.
    var mustBeServed = false
    var mustBeWithdrawn = false
    var isToldWithdrawn = false
    var source: CoalescedAnswer<FlightSubject.Value>.Source?
    /// While its operation runs.
    var task: UnsafeCurrentTask?
  }

  // MARK: Asking

  /// A call looks for a flight; nothing comes between this and what is decided, unless the clock is hesitant.
  func looksForFlight(_ job: Int) {
    let entry = entries[job]
    if !entry.inside.isEmpty { world.meet("an operation calls another") }
    if entry.call.way == .awaited, Task.isCancelled { entries[job].mustNotBegin = true }
    let isKept = entries.indices.contains { entries[$0].touch == entry.touch && keeps($0) }
    entries[job].flight.mustBeServed =
      isExact && isKept && !entry.isAhead && !entry.wasCancelled && !isClosed && entry.inside.isEmpty
      && !clock.isHesitant
    if clock.isHesitant { clock.onReading = { self.entries[job].flight.reading = $0 } }
  }

  /// Whether it is sure that a prefetch starts where it is asked for.
  func mustStart(_ key: Touch) -> Bool {
    let mayBeThere = entries.contains { entry in
      if entry.touch != key || entry.begins == 0 { return false }
      let isGone = entry.flight.stored.map { now >= $0 + (entry.call.expiresAfter ?? 0) } ?? entry.flight.isConsumed
      return entry.ends == 0 || entry.isAhead && !isGone && !entry.flight.isConsumed && entry.work.error == nil
    }
    // What is reported as over may not have landed.
    return isExact && plan == nil && world.isQuiet && !mayBeThere && !isClosed && !clock.isHesitant
  }

  /// Whether the result of the prefetch is kept for certain.
  private func keeps(_ lead: Int) -> Bool {
    let (flight, expiresAfter) = (entries[lead].flight, entries[lead].call.expiresAfter ?? 0)
    guard let stored = flight.stored, now < stored + expiresAfter else { return false }
    return !flight.isTaken && flight.forgotten == nil
  }

  // MARK: Events

  func leads(_ job: Int) {
    world.note(name(job), "leads")
    boards(job, asLeader: true)
    let (entry, name) = (entries[job], name(job))
    // Where the clock is hesitant, who is about to look at it again may not have been there yet.
    let isLate = isExact && entry.wasCleared && !clock.isHesitant
    expect(!isLate, "who asked before its key was cancelled starts nothing afterwards", name)
    expect(!over.contains { entry.touch.contains($0) }, "after log-out nothing lands", name)
    for other in entries.indices
    where isExact && other != job && entries[other].touch == entry.touch && isOpen(other) {
      if let isTooOld = isTooOld(other, for: job) {
        if isTooOld { world.meet("a flight is too old") }
        let isLost = isTooOld || isUnwanted(other) || entries[other].flight.task?.isCancelled == true
        expect(
          isLost, "callers that come while an operation runs join it", "\(name) leads beside \(self.name(other))")
      }
      if options.joinWindow != nil { entries[other].flight.isDetached = true }
    }
    expect(entry.begins == 0, "each job begins once", name)
    entries[job].begins += 1
    entries[job].began = now
    entries[job].flight.began = entry.flight.reading
  }

  func joinsFlight(_ job: Int) {
    boards(job, asLeader: false)
    let lead = leader(job)
    guard lead != job else { return expectExactly(false, "a flight is reported before it is joined", name(job)) }
    world.note(name(job), "joins", name(lead))
    world.meet("a flight is joined")
    let (flight, detail) = (entries[lead].flight, "\(name(job)) joins \(name(lead))")
    expect(entries[lead].touch == entries[job].touch, "a caller joins a flight of its own key", detail)
    if !isExact { return }
    expect(flight.forgotten == nil, "no caller joins what was invalidated or cancelled", detail)
    expect(flight.task?.isCancelled != true, "no caller inherits a cancelled operation", detail)
    expect(!flight.hasAnswered, "no caller joins a flight that has landed", detail)
    expect(isTooOld(lead, for: job) != true, "no caller joins a flight older than the join window", detail)
  }

  func serves(_ job: Int) {
    world.note(name(job), "is served")
    entries[job].flight.served = tick()
    for lead in entries.indices where entries[lead].touch == entries[job].touch && entries[lead].flight.stored != nil {
      entries[lead].flight.isTaken = true
    }
    boards(job, asLeader: true)
  }

  private func boards(_ job: Int, asLeader: Bool) {
    clock.onReading = nil
    let (entry, name) = (entries[job], name(job))
    expect(!entry.mustNotBegin, "cancelled before the call means that nothing is started or joined", name)
    expect(!entry.wasClosed, "what is closed starts nothing, and serves nothing", name)
    expect(
      !entry.flight.mustBeServed || entry.flight.served != nil, "a call is served at once with what is kept", name)
    expect(!entry.flight.hasBoarded, "a caller boards once", name)
    entries[job].flight.reading = clock.isHesitant ? entry.flight.reading : now
    entries[job].flight.hasBoarded = true
    entries[job].hasJoined = !asLeader
  }

  /// The flight's own task looks at the clock next, before anybody else can.
  func storesNext(_ name: String?) {
    guard isExact, let job = entries.lastIndex(where: { $0.call.name == name }), entries[job].isAhead else { return }
    clock.onReading = { [self] in
      let flight = entries[job].flight
      if flight.isDetached || flight.forgotten != nil { return }
      // Callers of what it has overtaken consume it, too.
      let leads = entries.indices.filter { $0 == job || entries[$0].touch == entries[job].touch && isOvertaken($0) }
      entries[job].flight.isVague = leads.contains { riders($0).contains { entries[$0].outcome == nil } }
      if !entries[job].flight.isVague { entries[job].flight.stored = $0 }
    }
  }

  // MARK: Who is who

  /// Whether callers certainly find it, unless it has been abandoned.
  private func isOpen(_ lead: Int) -> Bool {
    let entry = entries[lead]
    return entry.begins > 0 && entry.ends == 0 && !entry.flight.isDetached && entry.flight.forgotten == nil
  }

  /// Whether all callers may have left it; the last to go cancels it.
  ///
  /// Who asks inside an operation may be rejected, as it may close a cycle.
  func isUnwanted(_ lead: Int) -> Bool {
    let isWanted = riders(lead).contains { entries[$0].inside.isEmpty && isWanting($0) }
    return !entries[lead].isAhead && !options.runsToEnd && (!isWanted || isOvertaken(lead))
  }

  /// Whether an operation has succeeded that began when this one was too old to be joined, and answers its callers.
  ///
  /// On real threads, it is not known which of two began first: then it may be so.
  private func isOvertaken(_ lead: Int) -> Bool {
    guard let joinWindow = options.joinWindow else { return false }
    if !isExact {
      return entries.indices.contains {
        $0 != lead && entries[$0].touch == entries[lead].touch && entries[$0].begins > 0
      }
    }
    guard let began = entries[lead].flight.began else { return false }
    return entries.contains { newer in
      let isLater = newer.flight.began.map { $0 - began >= joinWindow } ?? false
      return isLater && newer.touch == entries[lead].touch && newer.hasEnded && newer.work.error == nil
    }
  }

  /// Whether its operation may be cancelled.
  func isStopped(_ lead: Int) -> Bool {
    if plan != nil { return isStoppedByPlan(lead) }
    let isWithdrawn = entries[lead].flight.isWithdrawn || !isExact && entries[lead].wasCleared
    return isWithdrawn || isUnwanted(lead) || mayBeForced
  }

  /// Whether the flight is too old to be joined by the caller; `nil` if that is not known.
  private func isTooOld(_ lead: Int, for job: Int) -> Bool? {
    guard let joinWindow = options.joinWindow else { return false }
    guard let reading = entries[job].flight.reading, let began = entries[lead].flight.began else { return nil }
    return reading - began >= joinWindow
  }

  // MARK: Forgetting

  /// Invalidates the key, or every key.
  func invalidate(_ key: String?, _ invalidate: () -> Void) {
    world.note(key ?? "every key", "is invalidated")
    world.locked { forget(key) }
    plan?.invalidate(key)
    invalidate()
    let isBare = isExact && key == nil && !clock.isHesitant
    expect(!isBare || shelved() == 0, "what is invalidated is not kept", "")
  }

  private func forget(_ key: String?) {
    let moment = tick()
    for lead in entries.indices where entries[lead].begins > 0 && entries[lead].touch.contains(key) {
      entries[lead].flight.forgotten = entries[lead].flight.forgotten ?? moment
    }
  }

  /// Cancels the key, or every key: the log-out.
  func withdraw(_ key: String?, _ withdraw: () -> Void) {
    if plan != nil {
      world.note("all", "is cancelled")
      plan!.clear(key)
      return withdraw()
    }
    let (flying, wanted) = world.locked { withdraws(key) }
    withdraw()
    world.locked {
      for lead in wanted { entries[lead].isToldToStop = true }
      for lead in flying {
        entries[lead].flight.isBeingWithdrawn = false
        // A caller that left in the meantime could not ask for that yet.
        checkLeft(lead)
      }
    }
  }

  /// Returns the flights that will be withdrawn, and those of them that will be told to stop.
  private func withdraws(_ key: String?) -> (flying: [Int], wanted: [Int]) {
    world.note(key ?? "every key", "is cancelled")
    forget(key)
    for job in entries.indices where entries[job].touch.contains(key) && entries[job].outcome == nil {
      entries[job].wasCleared = true
    }
    // What another task is withdrawing is left to that task, and what all callers have left to the last of them.
    let flying = entries.indices.filter {
      let entry = entries[$0]
      return entry.touch.contains(key) && entry.begins > 0 && entry.ends == 0 && !entry.flight.isWithdrawn
    }
    let wanted = flying.filter { !isUnwanted($0) && !mayBeForced }
    for lead in flying where !isOvertaken(lead) {
      for rider in riders(lead) where isWanting(rider) { entries[rider].flight.mustBeWithdrawn = true }
    }
    for lead in flying { (entries[lead].flight.isWithdrawn, entries[lead].flight.isBeingWithdrawn) = (true, true) }
    return (flying, wanted)
  }

  // MARK: Answers

  /// Whose operation gave this answer.
  func flown(_ job: Int, _ outcome: Outcome) -> Int {
    if case .returned(let lead) = outcome, entries.indices.contains(lead) { lead } else { leader(job) }
  }

  func lands(_ job: Int, _ outcome: Outcome, _ lead: Int) {
    let (entry, lead, index, detail) = (entries[job], entries[lead], lead, "\(name(job)), from \(name(lead))")
    expect(lead.touch == entry.touch, "a call is answered for its own key", detail)
    switch outcome {
    case .returned:
      expectExactly(!lead.flight.isWithdrawn || entry.flight.served != nil, "what is withdrawn goes nowhere", detail)
      if entry.flight.served != nil { return isServed(job, index, detail) }
      expect(entry.flight.source != .prefetched, "who is served is reported so", detail)
      let isLed = entry.flight.source == .led
      let isRight = entry.flight.source == nil || isLed == (index == job)
      let isOwn = lead.number == entry.number || isOvertaken(leader(job))
      expect(isRight && isOwn, "a caller gets what its flight returned", detail)
      expect(!lead.flight.isConsumed, "a prefetch that was joined is consumed, and not kept", detail)
    case .failed:
      if lead.isAhead { world.meet("a prefetch fails its callers") }
      expectExactly(!lead.flight.isWithdrawn, "what is withdrawn goes nowhere", detail)
    case .rejected(.cancelled):
      expectExactly(!entry.flight.mustBeWithdrawn, "those who wait are rejected when their key is cancelled", detail)
      return checkLeft(index)
    case .rejected(.withdrawn): return expectExactly(entry.flight.isToldWithdrawn, "a withdrawal is reported", detail)
    default: return
    }
    entries[index].flight.hasAnswered = true
    expectExactly(!entry.flight.mustBeWithdrawn, "those who wait are rejected when their key is cancelled", detail)
  }

  private func isServed(_ job: Int, _ lead: Int, _ detail: String) {
    let (entry, flight) = (entries[job], entries[lead].flight)
    world.meet("what was prefetched is served")
    expect(entry.flight.source != .led && entry.flight.source != .joined, "who is served is told so", detail)
    expect(entries[lead].isAhead, "without prefetch nothing is kept", detail)
    expect(!flight.isConsumed, "what was prefetched is consumed once", detail)
    expect(!flight.hasAnswered, "a prefetch that was joined is consumed, and not kept", detail)
    let isGone = flight.forgotten.map { $0 < entry.flight.served ?? 0 } ?? false
    expectExactly(!isGone, "nothing is kept that was invalidated or cancelled", detail)
    if let stored = flight.stored, let expiresAfter = entries[lead].call.expiresAfter,
      let reading = entry.flight.reading
    {
      expect(reading < stored + expiresAfter, "past its expiry a result is gone", detail)
    }
    entries[lead].flight.isConsumed = true
  }

  /// The last to leave has its operation cancelled; but a task that is withdrawing it cancels it last, and may be later.
  private func checkLeft(_ lead: Int) {
    let entry = entries[lead]
    guard isExact, riders(lead).allSatisfy({ entries[$0].outcome != nil }), !entry.flight.isBeingWithdrawn,
      !mayBeForced,
      !entry.isAhead, !options.runsToEnd, !entry.hasEnded, entry.runs == 1
    else { return }
    expect(
      entry.flight.task?.isCancelled == true, "when the last caller leaves, the operation is cancelled", name(lead))
  }

  // MARK: Rest, and the end

  /// What flies, who waits and what is kept, when everybody rests; `nil` if that is not certain.
  func flightCounts() -> Counts? {
    if let plan { return isPlanSure ? plan.counts : nil }
    if mayBeForced || clock.isHesitant || entries.contains(where: \.flight.isVague) { return nil }
    // Who leaves has left by now.
    func waiting(_ lead: Int) -> Int { riders(lead).count { entries[$0].outcome == nil } }
    let flying = entries.indices.filter {
      let entry = entries[$0]
      let isWanted = entry.isAhead || options.runsToEnd || waiting($0) > 0
      return entry.begins > 0 && entry.ends == 0 && !entry.flight.isWithdrawn && isWanted
    }
    let expired = entries.contains {
      let (stored, expiresAfter) = ($0.flight.stored, $0.call.expiresAfter)
      return if let stored, let expiresAfter { !$0.flight.isConsumed && now >= stored + expiresAfter } else { false }
    }
    if expired { world.meet("what was prefetched is gone") }
    return Counts(
      waiting: flying.reduce(0) { $0 + waiting($1) }, reading: flying.count, writing: 0, isPaused: false,
      isClosed: isClosed, stored: entries.indices.count { keeps($0) })
  }

  func checkFlight(_ job: Int) {
    if plan != nil { return }
    let (entry, name) = (entries[job], name(job))
    if entry.begins > 0 {
      // One that was withdrawn before it could begin need not.
      let mayStay = entry.flight.isWithdrawn || isStopped(job)
      expect(entry.runs == 1 || mayStay && entry.runs == 0, "each flight has one operation", name)
    } else {
      expect(entry.runs == 0, "an operation runs in its flight", name)
    }
    let isTurnedAway = entry.number == nil && entry.isRejected
    expect(entry.ends == (entry.begins > 0 || isTurnedAway ? 1 : 0), "each job is reported to its end", name)
  }
}
