import SerialTasks

// MARK: - A job, from its call to its answer

extension Account {
  /// A job is about to be asked for; nothing may come between this and the call.
  func ask(_ call: Call, inside: [Int]) -> Int { world.locked { asks(call, inside: inside) } }

  private func asks(_ call: Call, inside: [Int]) -> Int {
    let job = entries.count
    let older = call.latest.flatMap { _ in replaceable(by: call) }
    let priority =
      switch call.way {
      case .awaited: Task.currentPriority
      case .submitted: call.priority ?? Task.basePriority ?? .medium
      case .detached: call.priority ?? .medium
      case .ahead: call.priority ?? Task.currentPriority
      }
    world.note(call.name, "asks", "at \(priority.rawValue), \(description(of: call, older))")
    entries.append(
      Entry(
        call: call, place: older.map { entries[$0].place } ?? job, asked: now, moment: tick(),
        priority: priority.rawValue, inside: call.way == .awaited ? inside : [], wasClosed: isClosed,
        failure: failure(call.touch)))
    entries[job].wasCleared = !isExact && clearing.contains { call.touch.contains($0) }
    if let older {
      entries[job].mayBeginInPause = entries[older].mayBeginInPause
      world.meet(entries[older].place == older ? "a write is replaced" : "a replacement is replaced")
      entries[older].replacement = job
    }
    // What is called for every key in a turn waits for that turn.
    entries[job].isNested = !call.isFlight && call.touch.keys != nil && !entries[job].inside.isEmpty
    // With a limit of zero it begins at once or is rejected: until it begins, it delays no other job.
    if entries[job].isNested, call.limit != 0, !Task.isCancelled { delays(job) }
    holds(job, older)
    if call.touch.isShared, !call.isFlight { lookAround(job) }
    entries[job].ahead = isExact && older == nil && entries[job].inside.isEmpty ? countAhead(of: job) : 0
    if call.way == .awaited, Task.isCancelled {
      forbid(job)
      if !isExact { entries[job].mustNotBegin = true }
    } else if !isExact, cancelled.contains(call.name) {
      forbid(job)
    }
    if plan != nil { plans(job) } else if call.isFlight { looksForFlight(job) }
    return job
  }

  /// What waits for nothing but a slot may have to wait for a call in a turn, and then is ready anew.
  func delays(_ job: Int) {
    for other in entries.indices where entries[other].conflicts(with: entries[job]) { entries[other].wasReady = false }
  }

  /// A write may wait for a newer one, and goes before others no more when one comes that conflicts with it.
  private func holds(_ job: Int, _ older: Int?) {
    for other in entries[..<job].indices where other != older && entries[other].conflicts(with: entries[job]) {
      entries[other].draft?.mayBeNeeded = true
    }
    guard let (after, most) = entries[job].call.draft, after > 0 else { return }
    // What was not a draft, or is not any more, does not become one.
    let earlier = older.map { entries[$0].draft }
    if case .some(nil) = earlier { return }
    let first = earlier??.first ?? now
    var draft = Draft(first: first, due: min(now + after, most.map { first + $0 } ?? .max))
    // What has waited long enough may wait for a turn by now, and is no draft any more.
    draft.mayBeNeeded = earlier.map { $0!.mayBeNeeded || $0!.due <= now } ?? isClosing
    entries[job].draft = draft
    world.meet(older == nil ? "a draft" : "a draft is replaced")
  }

  /// All writes begin without delay that wait for newer ones, or those that touch the key.
  func needsDrafts(_ key: String? = nil) {
    for job in entries.indices where entries[job].touch.contains(key) { entries[job].draft?.mayBeNeeded = true }
  }

  private func description(of call: Call, _ older: Int?) -> String {
    let keys = call.touch.keys.map { $0.joined(separator: ", ") } ?? "every key"
    let way = [.submitted: "submitted, ", .detached: "detached, ", .ahead: "ahead, "][call.way] ?? ""
    let limit = call.limit.map { ", within \($0)" } ?? call.draft.map { ", after \($0.after)" } ?? ""
    return
      "\(way)\(call.touch.isShared ? "to read" : "for") \(keys)\(limit)\(older.map { ", in the place of \(name($0))" } ?? "")"
  }

  /// The write that this one takes the place of: the newest before it, unless a write has come since that has to run between them.
  private func replaceable(by call: Call) -> Int? {
    if isClosed || !isExact { return nil }
    let newest = entries.indices.last { tookPlace($0) && entries[$0].call.latest == call.latest }
    guard let older = newest else { return nil }
    if isRunning(older) { world.meet("a newer write beside one that runs") }
    guard isWaiting(older) else { return nil }
    let entry = entries[older]
    if Set(entry.touch.keys ?? []) != Set(call.touch.keys ?? []) {
      world.meet("a newer write of other keys")
    } else if entry.call.isWrapped != call.isWrapped {
      world.meet("a newer write of another type")
    } else if entries.indices.contains(where: { stands($0, between: entry) && tookPlace($0) }) {
      world.meet("a newer write behind another of its keys")
    } else {
      return older
    }
    return nil
  }

  /// Whether it is a write that came after this one and conflicts with it.
  private func stands(_ job: Int, between older: Entry) -> Bool {
    let entry = entries[job]
    return !entry.isRead && !entry.isNested && entry.place > older.place && entry.conflicts(with: older)
  }

  /// Whether it was given a place when it came.
  private func tookPlace(_ job: Int) -> Bool {
    // A deadlock is found when the place has been taken.
    if case .rejected(.deadlock) = entries[job].outcome { return true }
    return entries[job].number != nil || entries[job].ends == 0
  }

  private func countAhead(of job: Int) -> Int {
    let certain = entries[..<job].indices.filter {
      // A call in a turn that has not been seen to wait may be rejected as a deadlock.
      let mayWait = isWaiting($0) && (entries[$0].inside.isEmpty || entries[$0].waits > 0)
      let isThere = mayWait || isRunning($0) && !entries[$0].isPart
      return isThere && entries[$0].conflicts(with: entries[job])
    }
    return (entries[job].touch.keys ?? ["x", "y", "z"]).map { key in
      certain.count { entries[$0].touch.contains(key) }
    }.max() ?? 0
  }

  /// How many may stand ahead of a call in a turn: those that run, or are about to, and others like it.
  func mostAhead(of job: Int) -> Int {
    guard entries[job].isNested, options.slots == nil else { return .max }
    // Who was rejected with its turn has that until its task goes on; and one may just end its own.
    return entries[..<job].indices.count {
      mayStand($0) && (!isWaiting($0) || entries[$0].isNested) || entries[$0].isSubmitted && entries[$0].isRejected
    } + 1
  }

  /// What a read finds when it comes.
  private func lookAround(_ job: Int) {
    let entry = entries[job]
    guard !entry.isFirst else {
      entries[job].isPart = entry.inside.contains { entries[$0].touch.meets(entry.touch) }
      return
    }
    if !isExact { return }
    let writes = entries[..<job].indices.filter { !entries[$0].isRead && entries[$0].conflicts(with: entry) }
    // Those called in turns go before reads that have none.
    let before = writes.filter { !entries[$0].isNested }.map { last($0) }.filter { isRunning($0) || isWaiting($0) }
    entries[job].barrier = before.map { entries[$0].place }.max()
    let most = writes.filter { mayStand($0) || entries[$0].mustNotBegin && entries[$0].outcome == nil }.max() ?? -1
    entries[job].joinable = entries[..<job].indices.last {
      let other = entries[$0]
      return $0 > most && other.isRead && !other.hasJoined && !other.isFirst && other.touch.keys == entry.touch.keys
        && other.call.isTyped == entry.call.isTyped && !other.hasEnded && !other.wasCleared
        && (isRunning($0) || isWaiting($0)) && riders($0).contains { isWanting($0) }
    }
  }

  /// The body of a job: takes its steps and throws the error, or returns the job's number.
  func run(_ job: Int, around body: () async -> Void) async throws -> Int {
    let work = world.locked {
      enter(job)
      return entries[job].call.work
    }
    for _ in 0..<work.steps {
      await world.step()
      world.locked { look(job) }
    }
    if work.sleeps == 1 { await rest() } else if work.sleeps > 0 { await world.sleep(work.sleeps) }
    await body()
    world.locked { leave(job) }
    if work.cancelsItself { withUnsafeCurrentTask { $0?.cancel() } }
    if let error = work.error { throw error }
    return job
  }

  private func leave(_ job: Int) {
    let work = entries[job].work
    look(job, isRaised: work.steps + work.sleeps > 0 || !entries[job].isRead)
    world.note(name(job), "ends")
    entries[job].hasEnded = true
    entries[job].flight.task = nil
    if options.isSilent { entries[job].ends += 1 }
  }

  private func enter(_ job: Int) {
    if options.isSilent, !entries[job].isPart { begins(job) }
    entries[job].runs += 1
    let (entry, name) = (entries[job], name(job))
    world.note(name, "runs")
    expect(entry.runs == 1, "each job runs once", name)
    expect(entry.begins == 1 || entry.isPart, "a job is reported before it runs", name)
    expect(entry.outcome == nil || entry.isRead, "no job runs after its caller was answered", name)
    if entry.isPart { entries[job].begins = 1 }
    let task = entry.call.way == .detached ? withUnsafeCurrentTask { $0?.hashValue } : nil
    if options.isSilent, let task, task == lastTask { world.meet("one task for two jobs") }
    lastTask = task
    let hasOwnTask = entry.isSubmitted || entry.isRead && !entry.isFirst
    expect(
      !hasOwnTask || plan != nil || Task.name == entry.call.label, "a task has the name of its job",
      "\(name): \(Task.name ?? "none")")
    if plan != nil { entersPlan(job) }
    if entry.call.isFlight {
      entries[job].flight.task = withUnsafeCurrentTask { $0 }
      let isEnded = entry.flight.isWithdrawn && !Task.isCancelled
      expectExactly(!isEnded, "the operation of a withdrawn flight does not begin", name)
      world.point()
    }
    // A read may begin on its caller's thread, and is raised when that has started it.
    look(job, isRaised: !entry.isRead)
  }

  /// What a job sees when it runs, also before it suspends.
  private func look(_ job: Int, isRaised: Bool = true) {
    let (entry, name) = (entries[job], name(job))
    for other in entries.indices where other != job && isRunning(other) && entries[other].conflicts(with: entry) {
      let isNested = entry.inside.contains(other) || entries[other].inside.contains(job)
      expect(
        isNested || entry.isPart || entries[other].isPart, "jobs that touch a common key never overlap",
        "\(name) and \(self.name(other))")
    }
    if plan != nil { looksAtPlan(job) }
    if world.isQuiet, isRaised { checkPriority(job) }
    let isTold = entry.isToldToStop && (entry.hasHandle || !entry.isSubmitted || entry.call.isFlight)
    expectExactly(!isTold || Task.isCancelled, "a running job that is cancelled sees it", name)
    guard Task.isCancelled else { return }
    let callers = riders(job)
    let isRightly =
      entry.call.isFlight
      ? isStopped(job)
      : entry.isRead && !entry.isFirst
        ? callers.allSatisfy { !isWanting($0) || mayHaveLeft($0) } || callers.contains { entries[$0].wasCleared }
        : entry.wasCancelled || entry.wasCleared || isInsideCancelled(job)
    expect(isRightly || mayBeForced, "a job is not cancelled for another", name)
  }

  /// On threads, a caller whose limit has passed may have left before its read began, and not have said so.
  private func mayHaveLeft(_ call: Int) -> Bool {
    !isExact && entries[call].outcome == nil && entries[call].deadline ?? .max <= now
  }

  func answer(_ job: Int, _ result: Result<Int, any Error>) { world.locked { isAnswered(job, result) } }

  private func isAnswered(_ job: Int, _ result: Result<Int, any Error>) {
    let outcome = outcome(of: result, job)
    let (entry, lead) = (entries[job], entries[job].call.isFlight ? flown(job, outcome) : leader(last(job)))
    let work = entries[lead].call.work
    world.note(entry.call.name, "is answered", brief(outcome))
    expect(entry.outcome == nil, "each call is answered once", entry.call.name)
    entries[job].outcome = outcome
    if options.isSilent, case .rejected(let why) = outcome { isRejected(job, why) }
    let detail = "\(entry.call.name): \(result), by \(name(lead))"
    if plan != nil { return isAnsweredByPlan(job, outcome, detail) }
    switch outcome {
    case .returned(let value):
      expect(
        value == lead && work.error == nil && entries[lead].hasEnded, "a call returns what its job returned", detail)
    case .failed(let error):
      let isOwn = work.error.map { ObjectIdentifier($0) == error } ?? false
      expect(isOwn && entries[lead].hasEnded, "the job's own error comes back, the same instance", detail)
    case .rejected(let why): checkRejection(last(job), why, detail)
    case .engine: expect(entries[lead].runs == 0, "a job that was given no access never ran", detail)
    case .unexpected: expect(false, "no other error comes out of a call", detail)
    }
    if entry.call.isFlight { lands(job, outcome, lead) }
    guard entry.wasClosed, !entry.isPart, !entry.isNested else { return }
    let isCancelled = outcome == .rejected(.cancelled) && (entry.wasCancelled || mayBeForced || isInsideCancelled(job))
    let isDeadlock = if case .rejected(.deadlock) = outcome { !entry.inside.isEmpty } else { false }
    expect(outcome == .rejected(.closed) || isCancelled || isDeadlock, "a closed executor rejects later jobs", detail)
  }

  private func brief(_ outcome: Outcome) -> String {
    switch outcome {
    case .returned(let value): "by \(entries.indices.contains(value) ? name(value) : "\(value)")"
    case .failed: "with its error"
    case .rejected(let why): brief(why)
    case .engine(let error), .unexpected(let error): error
    }
  }

  func brief(_ why: JobRejection) -> String {
    switch why {
    case .cancelled: "cancelled"
    case .withdrawn: "withdrawn"
    case .deadlock(let error): "deadlock: \(error.path.joined(separator: " → "))"
    case .full: "full"
    case .keyFull: "a key is full"
    case .late: "late"
    case .closed: "closed"
    @unknown default: "\(why)"
    }
  }

  func outcome(of result: Result<Int, any Error>, _ job: Int) -> Outcome {
    switch result.mapError(Fault.untyped) {
    case .success(let value): .returned(value)
    case .failure(let error as JobError): .failed(ObjectIdentifier(error))
    case .failure(let error as JobRejection): .rejected(error)
    case .failure(is CancellationError): .rejected(.cancelled)
    case .failure(let error):
      fails(error, entries[job].touch, entries[job].failure) ? .engine("\(error)") : .unexpected("\(error)")
    }
  }

  /// Whether two jobs meet at each of the keys that a deadlock says the call waits for.
  private func isMeeting(_ name: String) -> Bool {
    // A flight is asked for by one call, too.
    guard !options.hasFlights, name.hasSuffix("]"), !name.hasPrefix("slots of "), let first = name.firstIndex(of: "[")
    else { return true }
    let keys = name[first...].dropFirst().dropLast().split(separator: ", ").map(String.init)
    return keys.allSatisfy { key in
      let those = entries.indices.filter { entries[$0].touch.contains(key) }
      return those.contains { one in those.contains { $0 < one && entries[$0].conflicts(with: entries[one]) } }
    }
  }

  /// No call is rejected for what did not happen.
  private func checkRejection(_ job: Int, _ why: JobRejection, _ detail: String) {
    let entry = entries[job]
    let isRightly =
      switch why {
      case .closed:
        entry.wasClosed || isClosing && !isExact || isClosed && clock.isHesitant
      case .cancelled: entry.wasCancelled || isInsideCancelled(job) || mayBeForced
      case .withdrawn: entry.wasCleared || mayBeForced
      case .full(let capacity): capacity == options.capacityOfAll
      case .keyFull(let capacity): capacity == options.capacityPerKey
      case .deadlock(let why): !entry.inside.isEmpty && entry.call.limit == nil && isMeeting(why.path[0])
      case .late: entry.deadline.map { now >= $0 || $0 <= entry.asked } ?? false
      @unknown default: false
      }
    expect(isRightly, "no call is rejected for what did not happen", detail)
    if entry.isRead, !entry.isFirst {
      // The operation may have begun, unless it is said that it was late.
      let began = entries[leader(job)].began ?? .max
      expect(why != .late || began >= entry.deadline ?? 0, "a limit is one on waiting", detail)
    } else {
      expect(entry.runs == 0 && entry.begins == 0, "a rejected job never ran", detail)
    }
  }
}
