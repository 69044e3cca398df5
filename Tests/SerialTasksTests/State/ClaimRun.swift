import SerialTasks

/// Drives the table of claims with a history of events, and says where it differs from the model.
struct ClaimRun: ~Copyable {
  private(set) var model: ClaimModel
  private let settings: ClaimModel.Settings
  private var table: ClaimTable
  private let keys = KeyTable<Int>()
  /// The newest waiter of each job; none for a caller that found the line free, until the line is looked at.
  private var waiters: [Waiter?] = []
  private var touches: [ClaimModel.Touch] = []
  /// Of each job, whether it or one that it is called in touches a key.
  private var holdsKey: [Bool] = []
  /// The caller that found the line free, as long as it runs.
  private var solo: Int?
  /// The turns of callers that found their keys free, as long as they have no claims.
  private var unclaimed: [Int: (key: Int, turn: KeyedTurn)] = [:]
  /// Callers that were not asked for their priority.
  private var unasked: Set<Int> = []
  private var untold: [[Waiter]] = []
  private var drainer: Waiter?
  /// Who is to go on after this event.
  private var resumed: [Int] = []
  private(set) var mismatch: String?

  private static let tagOfDrainer = 100

  /// The turns are those of a line that outlives this.
  init(_ settings: ClaimModel.Settings, turns: TurnPool) {
    self.settings = settings
    model = ClaimModel(settings: settings)
    table = ClaimTable(
      keys: keys, turns: turns, capacity: settings.capacity, capacityPerKey: settings.capacityPerKey,
      slots: settings.slots, kind: settings.slotsAreForAll ? .slot : [])
  }

  /// Carries the event out and compares; those before it were compared in shorter histories.
  mutating func apply(_ event: ClaimModel.Event, to before: ClaimModel) {
    resumed = []
    replay(event)
    model = before
    let waiters = waiters
    model.apply(event) { waiters[$0]?.isWaiting == false }
    compare(since: before)
    if let found = mismatch { mismatch = "after \(event): \(found)" }
  }

  mutating func replay(_ event: ClaimModel.Event) {
    switch event {
    case .enter(let key):
      if !table.isFree || table.isClosed { mismatch = "a free line is not free" }
      keys.solo = key.map { Touched($0) } ?? .everyKey
      _ = table.enter(name: nil, task: nil)
      solo = waiters.count
      addUnasked(key)
    case .enterKey(let key):
      if let turn = keys.enter(StableKey(key), &table, named: nil, task: nil) {
        unclaimed[waiters.count] = (key, turn)
        addUnasked(key)
      }
    case .settle: settleAll()
    case .join(let touch): join(touch, isSubmitted: touch.isRead || waiters.count % 2 == 1)
    case .draft(let key): join(ClaimModel.Touch(keys: [key]), isSubmitted: true, isDraft: true)
    case .passDraft(let job): passDraft(job)
    case .nest(let touch, let outer): join(touch, isSubmitted: false, in: outer)
    case .begin(let job): begin(job)
    case .finish(let job): finish(job)
    case .leave(let job): leave(job)
    case .replace(let job): replace(job)
    case .withdraw: withdraw(from: table.all)
    case .withdrawKey(let key):
      settle(ClaimModel.Touch(keys: [key]))
      if let queue = keys.queues[StableKey(key)] { withdraw(from: queue) }
    case .tell:
      carryOut(table.told(untold.removeFirst()))
      noteClaims()
    case .pause: parkingReads { $0.table.pause() }
    case .resume: carryOut(table.resume())
    case .close:
      table.close()
      carryOut(table.releaseDrafts(of: table.all))
    case .drain:
      settleAll()
      drain(Waiter(isDrainer: true), table.all)
    case .drainKey(let key):
      settleAll()
      if let queue = keys.queues[StableKey(key)] { drain(Waiter(isDrainer: true), queue) }
    case .pauseAndWait:
      settleAll()
      carryOut(table.releaseDraftsBeforePause())
      parkingReads { $0.drain(Waiter(pauses: true), $0.table.all) }
    case .leaveDrain: if let drainer, case .left(let effects) = table.leave(drainer, .cancelled) { carryOut(effects) }
    }
  }

  private mutating func addUnasked(_ key: Int?) {
    unasked.insert(waiters.count)
    waiters.append(nil)
    touches.append(ClaimModel.Touch(keys: key.map { [$0] }))
    holdsKey.append(true)
  }

  private mutating func settleAll() {
    table.settle()
    noteClaims()
  }

  /// Before a job that touches this is looked at.
  private mutating func settle(_ touch: ClaimModel.Touch) {
    keys.settle(touch.keys.map { .many($0.map { StableKey($0) }) } ?? .everyKey, &table)
    noteClaims()
  }

  /// Whatever has made claims for a caller that had none: from now on it has a waiter.
  private mutating func noteClaims() {
    if let solo, waiters[solo] == nil { waiters[solo] = table.soloWaiter }
    for (job, (_, turn)) in unclaimed {
      guard let waiter = turn.waiter else { continue }
      waiters[job] = waiter
      unclaimed[job] = nil
    }
  }

  private mutating func join(
    _ touch: ClaimModel.Touch, isSubmitted: Bool, in outer: Int? = nil, isDraft: Bool = false
  ) {
    let job = waiters.count
    settle(touch)
    let priority = settings.priorities[job % settings.priorities.count]
    let waiter = Waiter(name: "\(job)", isSubmitted: isSubmitted, priority: priority)
    waiters.append(waiter)
    touches.append(touch)
    holdsKey.append(touch.keys != [] || outer.map { holdsKey[$0] } == true)
    var first: Claim?
    for key in (touch.keys ?? []).sorted(by: >) {
      first = Claim(on: keys.queue(of: StableKey(key)), isShared: touch.isRead, sibling: first)
    }
    let claim = JobClaim(
      in: table, waiter, kind: kind(of: touch, holdsKey: outer.map { holdsKey[$0] }),
      touchesEveryKey: touch.keys == nil, first: first, latest: isDraft ? LatestEntry() : nil)
    _ = claim.latest?.hold(DraftPause(after: .seconds(1), atMost: nil)!, at: .zero)
    let arrival = table.join(claim)
    if case .rejected = arrival { return }
    // As of a read that others may join.
    if touch.isRead, outer == nil { first!.queue.mark(first!) }
    if waiter.park(tag: job) != waiter.isWaiting { mismatch = "\(job) parks, and should not" }
    // A caller runs as soon as it has its turn.
    if case .granted = arrival, !isSubmitted { waiter.state = .running }
    if case .waiting = arrival { carryOut(table.makeWay(for: waiter)) }
  }

  private mutating func passDraft(_ job: Int) {
    var effects = Effects()
    if table.passDraft(JobClaim.of(waiters[job]!), at: .seconds(1), &effects) != nil { mismatch = "a draft waits on" }
    carryOut(effects)
  }

  /// `holdsKey` says whether a turn that it is called in touches a key; `nil` if it is called in none.
  private func kind(of touch: ClaimModel.Touch, holdsKey: Bool?) -> JobClaim.Kind {
    var kind: JobClaim.Kind = touch.isRead ? [.read] : []
    if let holdsKey {
      return kind.union(touch.isRead ? [.part, .first, .nested] : holdsKey ? [.part, .nested] : .part)
    }
    if touch.isRead || settings.slotsAreForAll { kind.insert(.slot) }
    return kind
  }

  private mutating func begin(_ job: Int) {
    guard let waiter = waiters[job] else { return }
    switch table.begin(waiter) {
    case .run: break
    case .gone: mismatch = "\(job) has its turn, and was rejected before"
    case .waitAgain:
      _ = waiter.park(tag: job)
      // The rest of `giveWay` is for reads in turns, of which the model knows nothing.
      var effects = Effects()
      table.endDrains(&effects)
      carryOut(effects)
    case .revoked: carryOut(table.finish(waiter).effects)
    }
  }

  private mutating func finish(_ job: Int) {
    if solo == job {
      solo = nil
      keys.solo = .everyKey
      if !table.leaveSolo(), let waiter = table.takeSoloWaiter() { carryOut(table.finish(waiter).effects) }
    } else if let (key, turn) = unclaimed.removeValue(forKey: job) {
      if keys.leave(StableKey(key), turn, &table) != nil { mismatch = "\(job) has claims that were not made" }
    } else if let waiter = waiters[job] {
      if unasked.contains(job), (waiter.turn as? KeyedTurn)?.waiter !== waiter {
        mismatch = "\(job) lost its turn when it was given claims"
      }
      carryOut(table.finish(waiter).effects)
    }
  }

  private mutating func leave(_ job: Int) {
    guard let waiter = waiters[job] else { return }
    let isTold = waiter.isSubmitted && !touches[job].isRead
    switch table.leave(waiter, .cancelled) {
    case .left(let effects):
      carryOut(effects)
      if isTold { untold.append([waiter]) }
    case .revoked: if isTold { untold.append([waiter]) }
    case .running, .gone: break
    }
  }

  private mutating func replace(_ job: Int) {
    guard let older = waiters[job] else { return }
    let newer = Waiter(name: "\(job)", isSubmitted: true, priority: 25)
    let (_, effects) = table.replace(older, by: newer)
    carryOut(effects)
    waiters[job] = newer
    if newer.place != older.place { mismatch = "the place was not kept" }
    _ = newer.park(tag: job)
  }

  private mutating func withdraw(from queue: KeyQueue) {
    let withdrawal = table.withdraw(from: queue)
    if !withdrawal.rejected.isEmpty { untold.append(withdrawal.rejected) }
    carryOut(withdrawal.effects)
  }

  /// Parks the tasks of reads that had been granted their turn and find that they have not.
  private mutating func parkingReads(_ pause: (inout ClaimRun) -> Void) {
    let granted = waiters.map { $0?.state == .granted }
    pause(&self)
    for (job, waiter) in waiters.enumerated() where granted[job] && waiter!.isWaiting { _ = waiter!.park(tag: job) }
  }

  private mutating func drain(_ waiter: Waiter, _ queue: KeyQueue) {
    waiter.details = queue
    if case .waiting = table.drain(waiter) {
      _ = waiter.park(tag: Self.tagOfDrainer)
      drainer = waiter
      carryOut(table.makeWay(forDrainer: waiter))
    }
  }

  private mutating func carryOut(_ effects: Effects) { resumed += effects.resumed.elements.map(\.tag) }
}

// MARK: - Comparing

extension ClaimRun {
  private mutating func compare(since before: ClaimModel) {
    compareJobs()
    compareCounts()
    compareResumed(since: before)
    compareTurns()
    compareBlockers()
    if mismatch == nil { mismatch = QueueCheck.mistake(in: [table.all, table.keyless], keys.queues.values.map { $0 }) }
  }

  private mutating func compareJobs() {
    if waiters.count != model.jobs.count { mismatch = "a key was taken, or not" }
    for (job, expected) in model.jobs.enumerated() where mismatch == nil {
      let standing = waiters[job]?.state ?? .running
      let agrees =
        switch (standing, expected.fate) {
        case (.waiting, .waiting), (.granted, .granted), (.revoked, .revoked), (.rejected, .rejected): true
        case (.running, .running), (.running, .ended): true
        default: false
        }
      if !agrees { mismatch = "\(job) is \(standing) and should be \(expected.fate)" }
      guard let waiter = waiters[job], !unasked.contains(job), model.line.contains(job) else { continue }
      if !expected.raised.contains(waiter.raisedTo) {
        mismatch = "\(job) was raised to \(waiter.raisedTo), not \(expected.raised)"
      }
    }
  }

  private mutating func compareCounts() {
    guard mismatch == nil else { return }
    let turns = model.line.filter { model.jobs[$0].hasTurn }
    let hasSlots = !table.hasSolo && table.slots != nil
    let counts = [
      ("waiting", table.waiting, model.waiting.count), ("running", table.running, turns.count),
      ("reading", table.reading, turns.count { model.jobs[$0].touch.isRead }),
      ("untold", table.untold, model.untold.joined().count),
      ("slots", table.slotsTaken, hasSlots ? model.slotHolders.count : 0),
    ]
    for (name, found, expected) in counts where found != expected { mismatch = "\(name): \(found), not \(expected)" }
    if table.isIdle != (model.line.isEmpty && model.untold.isEmpty) { mismatch = "idle, or not" }
    if table.hasSolo { return }
    let kept = Set((Array(keys.queues.keys) + keys.unclaimed.keys).map(\.key))
    if kept != model.usedKeys { mismatch = "these keys are kept: \(kept)" }
    for (key, queue) in keys.queues {
      if queue.waiting != model.waiting(on: key.key) { mismatch = "\(queue.waiting) wait for \(key.key)" }
    }
  }

  /// Each job that waited and does not wait any more goes on, once, and no other does.
  private mutating func compareResumed(since before: ClaimModel) {
    guard mismatch == nil else { return }
    var expected = before.waiting.filter { model.jobs[$0].fate != .waiting }
    if before.drains != nil, model.drains == nil { expected.append(Self.tagOfDrainer) }
    // One that was replaced goes on, too, and ends.
    if resumed.sorted() != expected, resumed.count != 1 || before.jobs[resumed[0]].fate != .waiting || hasMoved(before)
    {
      mismatch = "\(resumed) go on, and not \(expected)"
    }
  }

  private func hasMoved(_ before: ClaimModel) -> Bool { before.waiting != model.waiting }

  /// Each job that has its turn has one of its own.
  private mutating func compareTurns() {
    guard mismatch == nil else { return }
    var seen: Set<ObjectIdentifier> = []
    for job in model.line {
      guard let waiter = waiters[job] else { continue }
      guard model.jobs[job].hasTurn else {
        if waiter.turn != nil { mismatch = "\(job) waits, and has a turn" }
        continue
      }
      // The turn of the solo is the line itself.
      guard let turn = waiter.turn, job == solo || (turn as? KeyedTurn)?.claim?.waiter === waiter,
        seen.insert(ObjectIdentifier(turn)).inserted
      else {
        mismatch = "\(job) has no turn of its own"
        return
      }
    }
  }

  private mutating func compareBlockers() {
    guard mismatch == nil, !table.hasSolo else { return }
    for job in model.line {
      guard let waiter = waiters[job] else { continue }
      let (ahead, needsSlot) = (model.jobs[job].ahead, model.jobs[job].needsSlot)
      if model.jobs[job].fate != .waiting { continue }
      let expected = model.closure(ahead, needsSlot: needsSlot, countsSlots: false)
      compare(table.blockers(of: waiter), expected, "\(job)")
    }
  }

  /// What would be in the way of a job that comes now.
  mutating func compareBlockersOfNewJobs() {
    guard mismatch == nil, !table.hasSolo else { return }
    for touch in ClaimModel.touches(keys: 2, pairs: 2) {
      for isNested in touch.keys == nil ? [false] : [false, true] {
        let kind = kind(of: touch, holdsKey: isNested ? true : nil)
        let ahead = model.standing(of: touch, isPart: isNested).ahead
        let expected = model.closure(ahead, needsSlot: kind.contains(.slot), countsSlots: false)
        settle(touch)
        let queues = touch.keys?.compactMap { keys.queues[StableKey($0)] }
        let blockers = table.blockers(of: NewJob(touching: queues, touchesNothing: touch.keys == [], kind: kind))
        compare(blockers, expected, "a new \(touch), nested: \(isNested),")
      }
    }
  }

  private mutating func compare(
    _ found: Blockers, _ expected: (jobs: Set<Int>, awaitsSlot: Bool), _ who: @autoclosure () -> String
  ) {
    let all = expected.jobs.filter { model.jobs[$0].hasTurn }
    let any = expected.awaitsSlot ? model.slotHolders : []
    if found.all.count != all.count || !all.allSatisfy({ has($0, in: found.all) }) {
      mismatch = "\(who()) is not blocked by \(expected.jobs)"
    }
    if found.any.count != any.count || !any.allSatisfy({ has($0, in: found.any) }) {
      mismatch = "\(who()) waits for a slot, or does not"
    }
  }

  private func has(_ job: Int, in turns: [WaitNode]) -> Bool { turns.contains { $0 === waiters[job]!.turn } }
}

// MARK: - The end

extension ClaimRun {
  /// Lets everybody run to the end, and says what is left over.
  mutating func windDown() {
    let found = mismatch
    mismatch = nil
    if table.isPaused { carryOut(table.resume()) }
    carryOut(table.releaseDrafts(of: table.all))
    while !untold.isEmpty { carryOut(table.told(untold.removeFirst())) }
    settleAll()
    var goesOn = true
    while goesOn {
      goesOn = false
      for (job, waiter) in waiters.enumerated() {
        guard let waiter, waiter.details.map({ ($0 as? JobClaim)?.waiter === waiter }) == true else { continue }
        switch waiter.state {
        case .running: finish(job)
        case .granted, .revoked: begin(job)
        case .waiting, .rejected: continue
        }
        goesOn = true
      }
    }
    if mismatch == nil {
      if !table.isIdle || table.waiting + table.running + table.slotsTaken != 0 { mismatch = "a job never ends" }
      if keys.size.busy != 0 { mismatch = "a key is never forgotten" }
      if drainer?.suspension != nil { mismatch = "a drain never ends" }
      if waiters.contains(where: { $0?.suspension != nil }) { mismatch = "a waiter never goes on" }
    }
    // No task waits for them.
    for waiter in waiters { waiter?.suspension = nil }
    drainer?.suspension = nil
    if let found { mismatch = found } else if let left = mismatch { mismatch = "at the end: \(left)" }
  }
}

/// Walks the queues of a table and says what is wrong with one.
enum QueueCheck {
  static func mistake(in all: [KeyQueue], _ keys: [KeyQueue]) -> String? {
    for queue in all + keys { if let mistake = mistake(in: queue) { return "\(queue.label ?? "all"): \(mistake)" } }
    for claim in all.flatMap(claims) where claim.job !== claim { return "a claim on all keys that is no job's own" }
    for job in all.flatMap(claims).map({ $0.job! }) {
      var blocked = 0
      job.forEachClaim { if !$0.isReady { blocked += 1 } }
      if job.isDraft { blocked += 1 }
      if job.pending != blocked { return "a job counts \(job.pending) claims that are not ready, and has \(blocked)" }
    }
    return nil
  }

  private static func claims(of queue: KeyQueue) -> [Claim] {
    var claims: [Claim] = []
    while let next = claims.last.map(\.next) ?? queue.first { claims.append(next) }
    return claims
  }

  private static func mistake(in queue: KeyQueue) -> String? {
    let claims = claims(of: queue)
    // Ready are the shared ones at the front, or one that is alone.
    let shared = claims.prefix { $0.isShared }.count
    let ready = shared > 0 ? shared : min(1, claims.count)
    for (index, claim) in claims.enumerated() where claim.isReady != (index < ready) {
      return "claim \(index) is ready, or not"
    }
    if queue.firstBlocked !== claims.dropFirst(ready).first { return "another claim is the first that is not ready" }
    if queue.last !== claims.last { return "another claim is the last" }
    for (claim, previous) in zip(claims.dropFirst(), claims) where claim.previous !== previous {
      return "a link is wrong"
    }
    if claims.first?.previous != nil { return "the first has one before it" }
    if claims.contains(where: { $0.queue !== queue }) { return "a claim of another queue" }
    var marks: [Claim] = []
    while let mark = marks.last.map(\.earlierMark) ?? queue.lastMark { marks.append(mark) }
    marks.reverse()
    let marked = claims.filter(\.isMarked)
    if marked.map(ObjectIdentifier.init) != marks.map(ObjectIdentifier.init) {
      return "the marks are not those of the queue"
    }
    for (mark, earlier) in zip(marks.dropFirst(), marks) where earlier.laterMark !== mark {
      return "a mark is linked wrongly"
    }
    if claims.contains(where: { !$0.isShared && !$0.isMarked }) { return "one that is alone has no mark" }
    return nil
  }
}
