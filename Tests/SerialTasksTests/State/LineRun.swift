import Testing

@testable import SerialTasks

/// Drives the state of a line with a history of events, and says where it differs from the model.
struct LineRun: ~Copyable {
  private(set) var model: LineModel
  private let settings: LineModel.Settings
  private var state: LineState
  private let keys = KeyTable<Int>()
  /// The newest waiter of each job; none for a caller that found the line free, until the line is looked at.
  private var waiters: [Job?] = []
  private var touches: [LineModel.Touch] = []
  /// Of each job, whether it or one that it is called in touches a key.
  private var holdsKey: [Bool] = []
  /// The caller that found the line free, as long as it runs.
  private var light: Int?
  /// The turns of callers that found their keys free, as long as they have no places.
  private var lights: [Int: (key: Int, turn: JobTurn)] = [:]
  /// Callers that were not asked for their priority.
  private var unasked: Set<Int> = []
  private var untold: [[Job]] = []
  private var drainer: LineDrainer?
  /// Who is to go on after this event.
  private var resumed: [Int] = []
  private(set) var mismatch: String?

  private static let tagOfDrainer = 100

  /// The turns are those of a line that outlives this.
  init(_ settings: LineModel.Settings, of line: Line) {
    self.settings = settings
    model = LineModel(settings: settings)
    state = LineState(
      table: keys, capacity: settings.capacity, capacityPerKey: settings.capacityPerKey, slots: settings.slots,
      kind: settings.slotsAreForAll ? .slot : [])
    state.line = line
  }

  /// Carries the event out and compares; those before it were compared in shorter histories.
  mutating func apply(_ event: LineModel.Event, to before: LineModel) {
    resumed = []
    replay(event)
    model = before
    let waiters = waiters
    model.apply(event) { waiters[$0]?.isWaiting == false }
    compare(since: before)
    if let found = mismatch { mismatch = "after \(event): \(found)" }
  }

  mutating func replay(_ event: LineModel.Event) {
    switch event {
    case .enter(let key):
      if !state.isFree { mismatch = "a free line is not free" }
      keys.lightKeys = key.map { Touched($0) } ?? .everyKey
      _ = state.enter(name: nil, task: nil)
      light = waiters.count
      addUnasked(key)
    case .enterKey(let key):
      if let turn = keys.enter(StableKey(key), &state, named: nil, task: nil) {
        lights[waiters.count] = (key, turn)
        addUnasked(key)
      }
    case .settle: settleAll()
    case .join(let touch): join(touch, isSubmitted: touch.isRead || waiters.count % 2 == 1)
    case .draft(let key): join(LineModel.Touch(keys: [key]), isSubmitted: true, isDraft: true)
    case .passDraft(let job): passDraft(job)
    case .nest(let touch, let outer): join(touch, isSubmitted: false, in: outer)
    case .begin(let job): begin(job)
    case .finish(let job): finish(job)
    case .leave(let job): leave(job)
    case .replace(let job): replace(job)
    case .withdraw: withdraw(from: nil)
    case .withdrawKey(let key):
      settle(LineModel.Touch(keys: [key]))
      if let queue = keys.queues[StableKey(key)] { withdraw(from: queue) }
    case .tell:
      carryOut(state.told(untold.removeFirst()))
      noteClaims()
    case .pause: parkingReads { $0.state.pause() }
    case .resume: carryOut(state.resume())
    case .close:
      state.close()
      carryOut(state.releaseDrafts())
    case .drain:
      settleAll()
      drain(LineDrainer())
    case .drainKey(let key):
      settleAll()
      if let queue = keys.queues[StableKey(key)] { drain(LineDrainer(of: queue)) }
    case .pauseAndWait:
      settleAll()
      carryOut(state.releaseDraftsBeforePause())
      parkingReads { $0.drain(LineDrainer(pauses: true)) }
    case .leaveDrain: if let drainer, case .left(let effects) = state.leave(drainer, .cancelled) { carryOut(effects) }
    }
  }

  private mutating func addUnasked(_ key: Int?) {
    unasked.insert(waiters.count)
    waiters.append(nil)
    touches.append(LineModel.Touch(keys: key.map { [$0] }))
    holdsKey.append(true)
  }

  private mutating func settleAll() {
    state.settle()
    noteClaims()
  }

  /// Before a job that touches this is looked at.
  private mutating func settle(_ touch: LineModel.Touch) {
    keys.settle(touch.keys.map { .many($0.map { StableKey($0) }) } ?? .everyKey, &state)
    noteClaims()
  }

  /// Whatever has made claims for a caller that had none: from now on it has a waiter.
  private mutating func noteClaims() {
    if let light, waiters[light] == nil { waiters[light] = state.lightJob }
    for (job, (_, turn)) in lights {
      guard let waiter = turn.owner else { continue }
      waiters[job] = waiter
      lights[job] = nil
    }
  }

  private mutating func join(
    _ touch: LineModel.Touch, isSubmitted: Bool, in outer: Int? = nil, isDraft: Bool = false
  ) {
    let job = waiters.count
    settle(touch)
    let priority = settings.priorities[job % settings.priorities.count]
    let waiter = TestJob(isSubmitted ? .submitted : .caller, name: "\(job)", priority: priority)
    waiters.append(waiter)
    touches.append(touch)
    holdsKey.append(touch.keys != [] || outer.map { holdsKey[$0] } == true)
    waiter.kind = kind(of: touch, holdsKey: outer.map { holdsKey[$0] })
    keys.prepare(waiter, touching: touched(touch), &state)
    if isDraft { waiter.hold(LatestEntry()) }
    let arrival = state.join(waiter)
    if case .rejected = arrival { return }
    if waiter.park(tag: job) != waiter.isWaiting { mismatch = "\(job) parks, and should not" }
    // A caller runs as soon as it has its turn.
    if case .granted = arrival, !isSubmitted { waiter.state = .running }
    if case .waiting = arrival { carryOut(state.makeWay(for: waiter)) }
  }

  private func touched(_ touch: LineModel.Touch) -> Touched<Int> {
    touch.keys.map { Touched($0.sorted()) } ?? .everyKey
  }

  private mutating func passDraft(_ job: Int) {
    var effects = Effects()
    if state.passDraft(waiters[job]!.latest!, at: .seconds(1), &effects) != nil { mismatch = "a draft waits on" }
    carryOut(effects)
  }

  /// `holdsKey` says whether a turn that it is called in touches a key; `nil` if it is called in none.
  private func kind(of touch: LineModel.Touch, holdsKey: Bool?) -> Job.Kind {
    var kind: Job.Kind = touch.isRead ? [.read] : []
    if let holdsKey {
      return kind.union(touch.isRead ? [.part, .first, .nested] : holdsKey ? [.part, .nested] : .part)
    }
    if touch.isRead || settings.slotsAreForAll { kind.insert(.slot) }
    return kind
  }

  private mutating func begin(_ job: Int) {
    guard let waiter = waiters[job] else { return }
    switch state.begin(waiter) {
    case .run: break
    case .gone: mismatch = "\(job) has its turn, and was rejected before"
    case .waitAgain:
      _ = waiter.park(tag: job)
      // The rest of `giveWay` is for reads in turns, of which the model knows nothing.
      var effects = Effects()
      state.endDrains(&effects)
      carryOut(effects)
    case .revoked: end(waiter)
    }
  }

  private mutating func finish(_ job: Int) {
    if light == job {
      light = nil
      let waiter = state.leave()
      if let waiter { end(waiter) } else { keys.lightKeys = .everyKey }
    } else if let (key, turn) = lights.removeValue(forKey: job) {
      if keys.leave(StableKey(key), turn, &state) != nil { mismatch = "\(job) has a place that was not made" }
    } else if let waiter = waiters[job] {
      if unasked.contains(job), waiter.turn?.owner !== waiter {
        mismatch = "\(job) lost its turn when it was given a place"
      }
      end(waiter)
    }
  }

  private mutating func end(_ waiter: Job) {
    if settings.endsShortly, case .handedOn(let next) = state.finishShortly(waiter) {
      if let next { resumed.append(next.tag) }
    } else {
      carryOut(state.finish(waiter).effects)
    }
  }

  private mutating func leave(_ job: Int) {
    guard let waiter = waiters[job] else { return }
    let isTold = waiter.isSubmitted && !touches[job].isRead
    switch state.leave(waiter, .cancelled) {
    case .left(let effects):
      carryOut(effects)
      if isTold { untold.append([waiter]) }
    case .revoked: if isTold { untold.append([waiter]) }
    case .running, .gone: break
    }
  }

  private mutating func replace(_ job: Int) {
    guard let older = waiters[job] else { return }
    let newer = TestJob(.submitted, name: "\(job)", priority: 25)
    newer.take(from: older)
    let (_, effects) = state.replace(older, by: newer)
    carryOut(effects)
    waiters[job] = newer
    if newer.place != older.place { mismatch = "the place was not kept" }
    _ = newer.park(tag: job)
  }

  private mutating func withdraw(from queue: KeyQueue?) {
    let withdrawal = state.withdraw(from: queue)
    if !withdrawal.rejected.isEmpty { untold.append(withdrawal.rejected) }
    carryOut(withdrawal.effects)
  }

  /// Parks the tasks of reads that had been granted their turn and find that they have not.
  private mutating func parkingReads(_ pause: (inout LineRun) -> Void) {
    let granted = waiters.map { $0?.state == .granted }
    pause(&self)
    for (job, waiter) in waiters.enumerated() where granted[job] && waiter!.isWaiting { _ = waiter!.park(tag: job) }
  }

  private mutating func drain(_ waiter: LineDrainer) {
    if case .waiting = state.drain(waiter) {
      _ = waiter.park(tag: Self.tagOfDrainer)
      drainer = waiter
      carryOut(state.makeWay(for: waiter))
    }
  }

  private mutating func carryOut(_ effects: Effects) { resumed += effects.resumed.elements.map(\.tag) }
}

// MARK: - Comparing

extension LineRun {
  private mutating func compare(since before: LineModel) {
    compareJobs()
    compareCounts()
    compareResumed(since: before)
    compareTurns()
    compareBlockers()
    if mismatch == nil { mismatch = QueueCheck.mistake(in: state, keys.queues.values.map { $0 }) }
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
    let hasSlots = !state.hasLight && state.slots != nil
    let counts = [
      ("waiting", state.waiting, model.waiting.count), ("running", state.running, turns.count),
      ("reading", state.reading, turns.count { model.jobs[$0].touch.isRead }),
      ("untold", state.untold, model.untold.joined().count),
      ("slots", state.slots?.taken ?? 0, hasSlots ? model.slotHolders.count : 0),
    ]
    for (name, found, expected) in counts where found != expected { mismatch = "\(name): \(found), not \(expected)" }
    if state.isIdle != (model.line.isEmpty && model.untold.isEmpty) { mismatch = "idle, or not" }
    if state.hasLight { return }
    let kept = Set((Array(keys.queues.keys) + keys.lights.keys).map(\.key))
    if kept != model.usedKeys { mismatch = "these keys are kept: \(kept)" }
    for (key, queue) in keys.queues {
      if queue.waiting != model.waiting(on: key.key) { mismatch = "\(queue.waiting) wait for \(key.key)" }
    }
  }

  /// Each job that waited and does not wait any more goes on, once, and no other does.
  private mutating func compareResumed(since before: LineModel) {
    guard mismatch == nil else { return }
    var expected = before.waiting.filter { model.jobs[$0].fate != .waiting }
    if before.drains != nil, model.drains == nil { expected.append(Self.tagOfDrainer) }
    // One that was replaced goes on, too, and ends.
    if resumed.sorted() != expected, resumed.count != 1 || before.jobs[resumed[0]].fate != .waiting || hasMoved(before)
    {
      mismatch = "\(resumed) go on, and not \(expected)"
    }
  }

  private func hasMoved(_ before: LineModel) -> Bool { before.waiting != model.waiting }

  /// Each job that has its turn has one of its own; whole jobs, and the one that found the line free, have that of the line itself.
  private mutating func compareTurns() {
    guard mismatch == nil else { return }
    var seen: Set<ObjectIdentifier> = []
    for job in model.line {
      guard let waiter = waiters[job] else { continue }
      guard model.jobs[job].hasTurn else {
        if waiter.turn != nil, !waiter.notes.contains(.awaitsSlot) { mismatch = "\(job) waits, and has a turn" }
        continue
      }
      let isOfLine = waiter.touchesEveryKey || job == light
      if isOfLine ? waiter.turn != nil || state.holder !== waiter : waiter.turn?.owner !== waiter {
        mismatch = "\(job) has no turn of its own"
      }
      if !seen.insert(ObjectIdentifier(node(of: waiter))).inserted { mismatch = "\(job) shares its turn" }
    }
  }

  private func node(of job: Job) -> WaitNode { job.node ?? state.line }

  private mutating func compareBlockers() {
    guard mismatch == nil, !state.hasLight else { return }
    for job in model.line {
      guard let waiter = waiters[job] else { continue }
      let (ahead, needsSlot) = (model.jobs[job].ahead, model.jobs[job].needsSlot)
      if model.jobs[job].fate != .waiting { continue }
      let expected = model.closure(ahead, needsSlot: needsSlot, countsSlots: false)
      compare(state.blockers(of: waiter), expected, "\(job)")
    }
  }

  /// What would be in the way of a job that comes now.
  mutating func compareBlockersOfNewJobs() {
    guard mismatch == nil, !state.hasLight else { return }
    for touch in LineModel.touches(keys: 2, pairs: 2) {
      for isNested in touch.keys == nil ? [false] : [false, true] {
        let kind = kind(of: touch, holdsKey: isNested ? true : nil)
        let ahead = model.standing(of: touch, isPart: isNested).ahead
        let expected = model.closure(ahead, needsSlot: kind.contains(.slot), countsSlots: false)
        settle(touch)
        let newcomer = TestJob()
        newcomer.kind = kind
        keys.prepare(newcomer, touching: touched(touch), &state)
        let blockers = state.blockers(of: newcomer)
        state.abandon(newcomer)
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

  private func has(_ job: Int, in turns: [WaitNode]) -> Bool { turns.contains { $0 === node(of: waiters[job]!) } }
}

// MARK: - The end

extension LineRun {
  /// Lets everybody run to the end, and says what is left over.
  mutating func windDown() {
    let found = mismatch
    mismatch = nil
    if state.isPaused { carryOut(state.resume()) }
    carryOut(state.releaseDrafts())
    while !untold.isEmpty { carryOut(state.told(untold.removeFirst())) }
    settleAll()
    var goesOn = true
    while goesOn {
      goesOn = false
      for (job, waiter) in waiters.enumerated() {
        guard let waiter, waiter.isPresent else { continue }
        switch waiter.state {
        case .running: finish(job)
        case .granted, .revoked: begin(job)
        case .waiting, .rejected: continue
        }
        goesOn = true
      }
    }
    if mismatch == nil {
      if !state.isIdle || state.waiting + state.running + (state.slots?.taken ?? 0) != 0 {
        mismatch = "a job never ends"
      }
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

/// A job that may wait for a newer one.
private final class TestJob: Job, @unchecked Sendable {
  private var entry: LatestEntry?

  override var latest: LatestEntry? { entry }

  func hold(_ entry: LatestEntry) {
    self.entry = entry
    kind.insert(.replaceable)
    entry.job = self
    _ = entry.hold(DraftPause(after: .seconds(1), atMost: nil)!, at: .zero)
  }

  func take(from older: Job) {
    guard let older = older as? TestJob else { return }
    entry = older.entry.take()
    entry?.job = self
  }
}

/// Walks the queues of a state and says what is wrong with one.
private enum QueueCheck {
  static func mistake(in state: borrowing LineState, _ keys: [KeyQueue]) -> String? {
    for queue in keys { if let mistake = mistake(in: queue) { return "\(queue.label ?? "-"): \(mistake)" } }
    if let mistake = mistake(in: state.whole, state.jobs(of: nil).filter { !$0.touchesNoKey }) { return mistake }
    for job in state.jobs(of: nil) {
      var blocked = job.behind == nil ? 0 : 1
      if job.touchesEveryKey, !job.isReady { blocked += 1 }
      job.forEachPlace { place, queue in if !place.isReady { blocked += 1 } }
      if job.isDraft { blocked += 1 }
      if job.pending != blocked { return "a job counts \(job.pending) places that are not ready, and has \(blocked)" }
    }
    return nil
  }

  private static func mistake(in queue: KeyQueue) -> String? {
    let places = queue.places.elements
    // Ready are the shared ones at the front, or one that is alone.
    let shared = places.prefix { queue.shares($0) }.count
    let ready = shared > 0 ? shared : min(1, places.count)
    for (index, place) in places.enumerated() where place.isReady != (index < ready) {
      return "place \(index) is ready, or not"
    }
    if queue.users != places.count || queue.expected != 0 {
      return "\(queue.users) use it, \(queue.expected) are expected"
    }
    return mistake(in: places, last: queue.places.last)
  }

  private static func mistake(in places: [Linked], last: Linked?) -> String? {
    if last !== places.last { return "another place is the last" }
    for (place, previous) in zip(places.dropFirst(), places) where place.previous !== previous {
      return "a link is wrong"
    }
    return places.first?.previous == nil ? nil : "the first has one before it"
  }

  private static func mistake(in whole: borrowing WholeQueue, _ jobs: [Job]) -> String? {
    let places = whole.places.elements
    if let mistake = mistake(in: places, last: whole.places.last) { return "whole jobs: \(mistake)" }
    if whole.open != jobs.count(where: { !$0.touchesEveryKey && $0.behind == nil }) {
      return "\(whole.open) jobs are open"
    }
    if places.first?.isJob == false { return "no whole job is first" }
    var last: Job?
    for place in places {
      if place.isJob {
        last = place.claimant
      } else if place.group.whole !== last {
        return "a job stands behind another whole job"
      }
    }
    if whole.last !== last { return "another whole job is the last" }
    return nil
  }
}
