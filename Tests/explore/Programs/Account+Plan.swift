import CoalescingTasks

// MARK: - Loads and renewals, of which it is known what must become of each call

extension Account {
  /// The call in whose task code runs: a renewal has the task-locals of the call that has started it.
  enum Caller { @TaskLocal static var name: String? }

  /// Whether the plan is exact: until a shutdown may have ended what goes on.
  var isPlanSure: Bool { plan.map { !$0.isVague && !mayBeForced } ?? false }

  /// A call is made; nothing comes between this and the first thing that it does.
  func plans(_ job: Int) {
    let call = entries[job].call
    switch plan!.kind {
    case .flights, .loads:
      let isCancelled = call.way == .awaited && Task.isCancelled
      plan!.request(job, call.policy, call.touch.keys!.first, waits: call.way != .ahead, isCancelled: isCancelled)
      guard let flight = plan!.fates[job]?.flight else { return }
      boardsPlanned(job, flight)
      let isNew = plan!.flights[flight].first == job && plan!.flights[flight].stage == .mayBegin
      entries[job].isBoarding = call.way == .awaited && !isNew
    case .renewals:
      let rejected = plan!.value.map { $0.flight - (call.rejects ?? 0) }
      if call.rejects != nil || call.policy != .join {
        return arrives(job, rejecting: call.rejects.flatMap { _ in rejected })
      }
      clock.afterReading = { [self] now in
        if plan!.isFresh(job, at: now) { return }
        arrives(job, rejecting: nil)
      }
    }
  }

  /// It reads the clock, and then it is decided what becomes of it.
  private func arrives(_ job: Int, rejecting: Int?) {
    clock.afterReading = { [self, seen = plan!.value?.flight] now in
      plan!.arrive(
        job, entries[job].call.policy, at: now, rejecting: rejecting, isCancelled: Task.isCancelled, seen: seen)
      if case .waits(let flight) = plan!.fates[job] { boardsPlanned(job, flight) }
    }
  }

  private func boardsPlanned(_ job: Int, _ flight: Int) { entries[job].number = UInt64(flight + 1) }

  // MARK: Events

  /// Whose job an event is about: one of a renewal says nothing of calls.
  func renewer(_ event: TaskEvent) -> String? {
    guard case .left(.withdrawn) = event.kind, let place = event.place else { return Caller.name }
    let callers = entries.indices.filter { plan?.fates[$0]?.flight == Int(place) - 1 && entries[$0].lefts == 0 }
    let withdrawn = callers.first { plan?.fates[$0] == .withdrawn(Int(place) - 1) }
    let waiting = callers.filter { entries[$0].outcome == nil }
    return (withdrawn ?? waiting.first { !entries[$0].wasCancelled } ?? waiting.first).map { name($0) }
  }

  func isReportedOfPlan(_ event: TaskEvent, _ job: Int) {
    if !isPlanSure { return isReportedInDoubt(event, job) }
    let (entry, name, fate) = (entries[job], name(job), plan!.fates[job])
    let flight = event.place.map { Int($0) - 1 }
    func isSo(_ holds: Bool) {
      let known = flight.flatMap { plan!.flights.indices.contains($0) ? plan!.flights[$0] : nil }
      let detail = "\(event), and \(name) \(fate as Any), flight \(known as Any)"
      expect(holds, "what is reported is what a call must come to", detail)
    }
    if let flight, !plan!.flights.indices.contains(flight) { return isSo(false) }
    switch event.kind {
    case .waiting:
      world.note(name, "follows")
      entries[job].waits += 1
      isSo(fate == .waits(flight!) && plan!.flights[flight!].first == job && plan!.flights[flight!].stage == .waits)
      isSo(event.ahead == plan!.ahead(plan!.flights[flight!].key))
      world.meet("followed")
    case .joined:
      world.note(name, "joins", "\(flight!)")
      isSo(fate == .waits(flight!) && plan!.flights[flight!].first != job)
      world.meet("joined")
    case .began:
      world.note(name, "begins", "\(flight!)")
      isSo(plan!.flights[flight!].job == job)
      // One that might begin when it was withdrawn finds that out when it has.
      let mayBeEnded = plan!.kind != .loads && plan!.flights[flight!].stage == .ended
      isSo(plan!.flights[flight!].stage == .mayBegin || mayBeEnded)
      isSo(!over.contains(nil))
      if isDecidedBefore(flight!) { plan!.begin(flight!) }
      let first = entries[plan!.flights[flight!].first]
      (entries[job].waits, entries[job].since) = (first.waits, first.asked)
      entries[job].begins += 1
      entries[job].began = now
      plan!.flights[flight!].begins += 1
      if fate?.flight != flight { world.meet("renewed behind") }
    case .finished, .failed:
      isSo(plan!.flights[flight!].job == job && entry.begins == 1)
      plan!.flights[flight!].ends += 1
      ends(job, event.kind)
    case .rejected(let why):
      world.note(name, "is rejected", brief(why))
      guard let flight else {
        isSo(fate == (why == .closed ? .closed : why == .cancelled ? .cancelled : nil))
        break
      }
      isSo(why == .withdrawn && plan!.flights[flight].first == job && plan!.flights[flight].begins == 0)
      let isAnswered = plan!.kind == .renewals && plan!.flights[flight].stage == .over
      isSo(isAnswered || plan!.flights[flight].stage == .ended)
      plan!.flights[flight].ends += 1
      world.meet("never begun")
    case .left(let why):
      world.note(name, "leaves", brief(why))
      entries[job].lefts += 1
      if case .leaves(flight!) = fate { break }
      isSo(fate == (why == .withdrawn ? .withdrawn(flight!) : why == .cancelled ? .left(flight!) : nil))
    default: isSo(false)
    }
    checkTimes(event, job)
    checkPlan()
  }

  /// Whether it is decided that the flight begins, before that is reported.
  private func isDecidedBefore(_ flight: Int) -> Bool {
    plan!.kind == .loads || plan!.kind == .renewals && plan!.flights[flight].follows
  }

  private func isReportedInDoubt(_ event: TaskEvent, _ job: Int) {
    switch event.kind {
    case .began: (entries[job].begins, entries[job].began) = (entries[job].begins + 1, now)
    case .finished, .failed: ends(job, event.kind)
    case .left: entries[job].lefts += 1
    default: break
    }
  }

  /// After an event was reported, the library goes on with what it has announced.
  func isReportedOfPlan(after event: TaskEvent, _ job: Int) {
    guard isPlanSure, let flight = event.place.map({ Int($0) - 1 }) else { return }
    switch (event.kind, plan!.kind) {
    case (.joined, .loads), (.waiting, .loads), (.joined, .flights), (.waiting, .flights):
      guard entries[job].isBoarding else { return }
      entries[job].isBoarding = false
      if Task.isCancelled { plan!.leave(job, isCertain: true) }
    case (.failed, .loads), (.finished, .flights), (.failed, .flights): plan!.end(flight)
    case (.finished, .renewals), (.failed, .renewals):
      let hasFailed = entries[job].work.error != nil || entries[job].runs == 0
      let validity = hasFailed ? nil : entries[job].call.expiresAfter
      clock.afterReading = { [self] in plan!.land(flight, validFor: validity, at: $0) }
    default: break
    }
  }

  /// Snapshots say the same as the plan.
  func checkPlan() {
    guard isPlanSure, let seen = planMismatch(plan!) else { return }
    expect(false, "snapshots say what is so", "\(seen), not \(plan!.counts as Any)")
  }

  // MARK: Running, and what becomes of it

  /// A renewal that this call has started is about to run, and was given a value; returns how long the next is valid.
  func renews(_ name: String, _ previous: Int?) -> Int {
    let (job, value) = (entries.lastIndex { $0.call.name == name }!, plan!.value.map { plan!.flights[$0.flight].job })
    expect(previous == value || !isPlanSure, "a renewal is given the newest value", name)
    return entries[job].call.expiresAfter!
  }

  /// An operation begins.
  func entersPlan(_ job: Int) {
    guard let flight = plan!.flight(of: job) else { return }
    if isPlanSure, !isDecidedBefore(flight) {
      expect(plan!.flights[flight].stage == .mayBegin, "what is no longer wanted does not begin", name(job))
    }
    plan!.begin(flight)
  }

  /// The value that the call rejects: the newest, or another.
  func rejected(by call: Call) -> Int? {
    call.rejects.map { rejects in plan!.value.map { rejects == 0 ? plan!.flights[$0.flight].job : Int.min } ?? Int.min }
  }

  /// Puts in a value from elsewhere.
  func replace(validFor validity: Int, _ replace: (Int) -> Void) {
    replacements += 1
    let value = -replacements
    world.note("\(value)", "is put in")
    clock.afterReading = { [self] in plan!.replace(with: value, validFor: validity, at: $0) }
    replace(value)
    checkPlan()
  }

  func lands(_ job: Int) {
    world.note(name(job), "is applied")
    guard isPlanSure, let flight = plan!.flight(of: job) else { return }
    let (entry, stages) = (entries[job], plan!.flights.map(\.stage))
    expect(
      stages[flight] == .runs && entry.hasEnded && entry.work.error == nil, "a load lands that is wanted", name(job))
    expect(!stages.contains(.lands), "one result at a time", name(job))
    expect(!stages[flight...].contains(.over), "no older result after a newer one", name(job))
    expect(!over.contains(nil), "after log-out nothing lands", name(job))
    plan!.land(flight)
    checkPlan()
    world.point()
    checkPlan()
    plan!.end(flight)
  }

  /// What a load or a renewal sees when it goes on.
  func looksAtPlan(_ job: Int) {
    guard isPlanSure, world.isQuiet, let flight = plan!.flight(of: job), plan!.flights[flight].stage == .ended else {
      return
    }
    let mayBeLate = plan!.flights[flight].leaver.map { entries[$0].outcome == nil } ?? false
    expect(mayBeLate || Task.isCancelled, "what no caller wants is cancelled", name(job))
  }

  func isStoppedByPlan(_ job: Int) -> Bool {
    !isPlanSure || plan!.flight(of: job).map { plan!.flights[$0].stage == .ended } ?? false
  }

  // MARK: Answers

  func isAnsweredByPlan(_ job: Int, _ outcome: Outcome, _ detail: String) {
    let fate = plan!.fates[job]
    if plan!.kind == .renewals, outcome == .rejected(.withdrawn), entries[job].lefts == 0 { takesReport(job) }
    let isRight =
      switch (fate, outcome) {
      case (_, .unexpected), (_, .engine), (nil, _): false
      case (.answered(let flight), _): outcome == result(of: flight)
      case (.leaves, .rejected(.cancelled)), (.left, .rejected(.cancelled)), (.cancelled, .rejected(.cancelled)): true
      case (.withdrawn, .rejected(.withdrawn)), (.closed, .rejected(.closed)): true
      case (.leaves, .returned), (.leaves, .failed), (.leaves, .rejected(.withdrawn)): true
      default: false
      }
    expect(isRight || !isPlanSure, "a call comes to what it must", "\(detail): \(fate.map { "\($0)" } ?? "nothing")")
    if isPlanSure, let source = entries[job].flight.source, let flight = fate?.flight {
      let isLed = plan!.flights[flight].first == job
      expect(source == (isLed ? .led : .joined), "who gets a result is told whether it led", detail)
    }
    if let fate { world.meet(met(job, fate)) }
    if case .leaves = fate { plan!.leave(job, isCertain: true) }
  }

  /// Two callers were about to leave when one of them was withdrawn, and ``renewer(_:)`` took the other for it.
  private func takesReport(_ job: Int) {
    let other = entries.indices.first {
      let entry = entries[$0]
      return entry.number == entries[job].number && entry.wasCancelled && entry.lefts > (entry.outcome == nil ? 0 : 1)
    }
    guard let other else { return }
    entries[other].lefts -= 1
    entries[job].lefts += 1
  }

  private func result(of flight: Int) -> Outcome? {
    let job = plan!.flights[flight].job
    if job < 0 { return .returned(job) }
    if entries[job].runs == 0 { return .rejected(.cancelled) }
    return entries[job].hasEnded ? entries[job].work.error.map { .failed(ObjectIdentifier($0)) } ?? .returned(job) : nil
  }

  private func met(_ job: Int, _ fate: Plan.Fate) -> String {
    switch fate {
    case .answered(let flight):
      if plan!.flights[flight].job < 0 {
        "a value from elsewhere"
      } else if let number = entries[job].number {
        number == flight + 1 ? "answered" : "answered by a newer one"
      } else {
        result(of: flight) == .returned(plan!.flights[flight].job) ? "served" : "spared"
      }
    case .left, .leaves: "left"
    case .withdrawn: "withdrawn"
    case .closed, .cancelled: "rejected"
    case .waits: "waits"
    }
  }

  /// In the end all have come to what they wanted, the screen too.
  func checkPlanAtTheEnd() {
    if !isPlanSure { return }
    for (job, fate) in plan!.fates {
      if case .waits = fate { expect(false, "the newest that was asked for always lands", name(job)) }
    }
    for (number, flight) in plan!.flights.enumerated() where flight.first >= 0 {
      expect(flight.ends == 1, "each job is reported to its end", "\(number), \(flight)")
    }
  }
}
