/// Jobs that touch keys, as an array: the model that `LineState` is held against.
///
/// It knows nothing of places and queues. Of each job it is written down which others must have gone before it may run.
struct LineModel {
  /// What a job touches: some keys, or every key.
  struct Touch: Hashable {
    var keys: Set<Int>?
    var isRead = false

    func conflicts(with other: Touch) -> Bool {
      if keys == [] || other.keys == [] { return false }
      guard let keys, let others = other.keys else { return true }
      return !(isRead && other.isRead) && !keys.isDisjoint(with: others)
    }
  }

  /// What can happen; jobs are numbered in the order in which they arrive.
  enum Event: Hashable {
    /// A caller that finds the line free takes it as a whole; `nil` is every key.
    case enter(key: Int?)
    /// A caller that needs no slot comes to a key, and takes that without a place if it is free; if not, it goes away.
    case enterKey(Int)
    /// The next job comes, or the line is looked at.
    case settle
    case join(Touch)
    /// A submitted job comes that waits for a newer one, and then has waited for long enough.
    case draft(Int), passDraft(Int)
    /// A job that is called in the turn of another.
    case nest(Touch, in: Int)
    case begin(Int), finish(Int), leave(Int), replace(Int)
    case withdraw, withdrawKey(Int), tell
    case pause, resume, close
    case drain, drainKey(Int), pauseAndWait, leaveDrain
  }

  enum Fate: Hashable { case waiting, granted, revoked, running, ended, rejected }

  struct Settings: Hashable {
    var capacity: Int?
    var capacityPerKey: Int?
    var slots: Int?
    /// Whether all jobs need a slot, and not only reads.
    var slotsAreForAll = false
    /// Whether turns are handed on the short way where that is possible.
    var endsShortly = false
    /// With which priority jobs come, in turn.
    var priorities: [UInt8] = [9, 25, 17, 21]
  }

  struct Job {
    let touch: Touch
    var fate = Fate.waiting
    let isSubmitted: Bool
    /// The job that it is called in.
    let outer: Int?
    /// Whether it goes before jobs that wait for the one that it is called in.
    let isPart: Bool
    /// Whether it, or a job that it is called in, touches a key, so that a job of every key that comes now waits for it.
    let holdsKey: Bool
    let needsSlot: Bool
    /// Whether it waits for a newer one.
    var isDraft = false
    /// Whether a pause that came after its grant does not put it back.
    var beginsInPause = false
    /// Those that it waits for, whatever has become of them.
    var ahead: Set<Int> = []
    /// Since when it waits for nothing but a slot or the end of a pause; less than 0 for one that was granted its turn before.
    var readySince: Int?
    /// What it was raised to at least, and at most.
    var raised: ClosedRange<UInt8>

    /// A read in another job begins also when the line is paused, closed or full.
    var isFirst: Bool { isNested && touch.isRead }
    var isNested: Bool { outer != nil }
    var hasTurn: Bool { fate == .granted || fate == .revoked || fate == .running }
  }

  let settings: Settings
  var jobs: [Job] = []
  /// Those that have a place, whatever they do there.
  var line: [Int] = []
  var isPaused = false
  var isClosed = false
  /// Rejected jobs that are just being told, in groups.
  var untold: [[Int]] = []
  /// What a caller of `drain` waits for: one key, or everything.
  var drains: Touch?
  /// Whether it is a caller of `pauseAndWait` instead.
  var awaitsPause = false
  var hasDrained = false
  private var step = 0

  init(settings: Settings) { self.settings = settings }

  func touching(_ key: Int) -> [Int] { line.filter { jobs[$0].touch.keys?.contains(key) == true } }
  func waiting(on key: Int) -> Int { touching(key).count { jobs[$0].fate == .waiting } }
  var waiting: [Int] { line.filter { jobs[$0].fate == .waiting } }
  var slotHolders: [Int] { line.filter { jobs[$0].needsSlot && jobs[$0].hasTurn } }
  var hasFreeSlot: Bool { slotHolders.count < settings.slots ?? .max }
  /// Keys that a job touches, or touched whose rejection is being reported.
  var usedKeys: Set<Int> { (line + untold.joined()).reduce(into: []) { $0.formUnion(jobs[$1].touch.keys ?? []) } }
  var nextPriority: UInt8 { settings.priorities[jobs.count % settings.priorities.count] }

  /// Those in the line that the job waits for, and those that these wait for, and so on.
  func closure(_ ahead: Set<Int>, needsSlot: Bool, countsSlots: Bool) -> (jobs: Set<Int>, awaitsSlot: Bool) {
    var (found, next): (Set<Int>, [Int]) = ([], ahead.filter(line.contains))
    var awaitsSlot = needsSlot && !hasFreeSlot
    if awaitsSlot, countsSlots { next += slotHolders + readyForSlot }
    while let job = next.popLast() {
      guard found.insert(job).inserted, jobs[job].fate == .waiting else { continue }
      next += jobs[job].ahead.filter(line.contains)
      if jobs[job].needsSlot, !hasFreeSlot {
        awaitsSlot = true
        if countsSlots { next += slotHolders + readyForSlot }
      }
    }
    return (found, awaitsSlot)
  }

  private var readyForSlot: [Int] { waiting.filter { jobs[$0].needsSlot && jobs[$0].readySince != nil } }

  /// Whether no job needs the key, and nothing stops a job of it.
  func isFree(_ key: Int) -> Bool {
    let isKept = usedKeys.contains(key) || line.contains { jobs[$0].touch.keys == nil }
    let isDrained = drains.map { $0.keys == nil } ?? false
    return !isPaused && !isClosed && !isDrained && !isKept
  }

  /// Whether a job that is called in this one goes before jobs that wait for that.
  func isPart(_ touch: Touch, of outer: Int) -> Bool { touch.isRead || jobs[outer].holdsKey }

  /// What would stand in the way of a job that comes now, and which waiting ones it overtakes.
  func standing(of touch: Touch, isPart: Bool) -> (ahead: Set<Int>, overtaken: Set<Int>) {
    let others = line.filter { jobs[$0].touch.conflicts(with: touch) }
    let overtaken = others.filter { other in
      guard isPart, jobs[other].fate == .waiting else { return false }
      // A job that touches every key waits for the one that this is a part of. A read goes before all that wait.
      return jobs[other].touch.keys == nil || touch.isRead
    }
    return (Set(others).subtracting(overtaken), Set(overtaken))
  }
}

// MARK: - Events

extension LineModel {
  /// Carries the event out, and asks whether a job has its turn where several may have the last free slot.
  mutating func apply(_ event: Event, isGranted: (Int) -> Bool) {
    step += 1
    switch event {
    case .enter(let key): arrive(Touch(keys: key.map { [$0] }), isSubmitted: false)
    case .enterKey(let key): if isFree(key) { arrive(Touch(keys: [key]), isSubmitted: false) }
    case .settle: break
    case .join(let touch): arrive(touch, isSubmitted: touch.isRead || jobs.count % 2 == 1)
    case .draft(let key): arrive(Touch(keys: [key]), isSubmitted: true, isDraft: true)
    case .passDraft(let job): jobs[job].isDraft = false
    case .nest(let touch, let outer): arrive(touch, isSubmitted: false, in: outer)
    case .begin(let job): begin(job)
    case .finish(let job): end(job, as: .ended)
    case .leave(let job): reject([job], tells: jobs[job].isSubmitted && !jobs[job].touch.isRead)
    case .replace(let job):
      // What a job was raised to, those ahead of it were raised to with it.
      let isRaised = jobs[job].raised.lowerBound >= 25
      if jobs[job].fate == .waiting, !isRaised { raise(aheadOf: job, to: 25) } else { raise(job, to: 25) }
    case .withdraw: reject(line, tells: true)
    case .withdrawKey(let key): reject(touching(key), tells: true)
    case .tell: untold.removeFirst()
    case .pause: pause()
    case .resume:
      isPaused = false
      for job in line { jobs[job].beginsInPause = false }
      // It is told that the pause is over.
      if drains != nil, awaitsPause { (drains, hasDrained) = (nil, true) }
    case .close:
      isClosed = true
      release(line)
    case .drain:
      (drains, awaitsPause) = (Touch(keys: nil), false)
      release(line)
    case .drainKey(let key):
      (drains, awaitsPause) = (Touch(keys: [key]), false)
      release(touching(key))
    case .pauseAndWait:
      let drafts = line.filter { jobs[$0].isDraft }
      release(drafts)
      settle(isGranted)
      for job in drafts where jobs[job].fate == .granted { jobs[job].beginsInPause = true }
      pause()
      (drains, awaitsPause) = (line.contains { jobs[$0].hasTurn } ? Touch(keys: nil) : nil, true)
      if drains != nil { letPass(line.filter { jobs[$0].isNested }) }
    case .leaveDrain: drains = nil
    }
    settle(isGranted)
  }

  private mutating func release(_ drafts: [Int]) { for job in drafts { jobs[job].isDraft = false } }

  private mutating func letPass(_ parts: [Int]) {
    for job in parts where !jobs[job].beginsInPause {
      jobs[job].beginsInPause = true
      jobs[job].isDraft = false
      letPass(jobs[job].ahead.intersection(line).sorted())
    }
  }

  private mutating func pause() {
    isPaused = true
    // Another job waits again when it would begin.
    for job in line where jobs[job].fate == .granted && jobs[job].touch.isRead && !jobs[job].isNested {
      waitAgain(job)
    }
  }

  /// A job that may run at once has no need to wait; one that has to wait needs room to.
  private mutating func arrive(_ touch: Touch, isSubmitted: Bool, in outer: Int? = nil, isDraft: Bool = false) {
    let isNested = outer != nil
    let (job, priority) = (jobs.count, nextPriority)
    let isPart = outer.map { self.isPart(touch, of: $0) } ?? false
    let (ahead, overtaken) = standing(of: touch, isPart: isPart)
    // Those that it overtakes wait for it, and raise it.
    let urgency = overtaken.map { jobs[$0].raised }
    let (least, most) = (urgency.map(\.lowerBound).max() ?? 0, urgency.map(\.upperBound).max() ?? 0)
    jobs.append(
      Job(
        touch: touch, isSubmitted: isSubmitted, outer: outer, isPart: isPart,
        holdsKey: touch.keys != [] || outer.map { jobs[$0].holdsKey } == true,
        needsSlot: !isNested && (touch.isRead || settings.slotsAreForAll), isDraft: isDraft, ahead: ahead,
        raised: max(priority, least)...max(priority, most)))
    let mustWait = !mayRun(job)
    let isFull =
      waiting.count >= settings.capacity ?? .max
      || touch.keys?.contains { waiting(on: $0) >= settings.capacityPerKey ?? .max } == true
    if !jobs[job].isFirst, isClosed || mustWait && isFull {
      jobs[job].fate = .rejected
      return
    }
    line.append(job)
    release(Array(ahead))
    for other in overtaken {
      jobs[other].ahead.insert(job)
      jobs[other].readySince = nil
    }
    let raised = jobs[job].raised.lowerBound
    if mustWait, isNested, drains != nil, awaitsPause { letPass([job]) }
    if mustWait { raise(aheadOf: job, to: raised) } else { jobs[job].fate = isSubmitted ? .granted : .running }
  }

  private func mayRun(_ job: Int) -> Bool {
    !jobs[job].isDraft && jobs[job].ahead.isDisjoint(with: line) && (!isPaused || mayBeginInPause(job))
      && (!jobs[job].needsSlot || hasFreeSlot)
  }

  /// While a caller of `pauseAndWait` waits, what runs goes on to its end with all its parts, and what these wait for.
  private func mayBeginInPause(_ job: Int) -> Bool {
    jobs[job].isFirst || jobs[job].beginsInPause || jobs[job].isNested && drains != nil && awaitsPause
  }

  private mutating func begin(_ job: Int) {
    if jobs[job].fate == .revoked { return end(job, as: .rejected) }
    if isPaused, !mayBeginInPause(job) { waitAgain(job) } else { jobs[job].fate = .running }
  }

  private mutating func waitAgain(_ job: Int) {
    jobs[job].fate = .waiting
    jobs[job].readySince = -step
  }

  private mutating func reject(_ rejected: [Int], tells: Bool) {
    let rejected = rejected.filter { jobs[$0].fate == .waiting || jobs[$0].fate == .granted }
    if tells, !rejected.isEmpty { untold.append(rejected) }
    for job in rejected {
      if jobs[job].fate == .waiting { end(job, as: .rejected) } else { jobs[job].fate = .revoked }
    }
  }

  private mutating func end(_ job: Int, as fate: Fate) {
    line.removeAll { $0 == job }
    jobs[job].fate = fate
  }

  /// What delays a job is raised; it need not follow those whose own slot was taken only after they came.
  private mutating func raise(aheadOf job: Int, to priority: UInt8) {
    raise(job, to: priority)
    let (ahead, needsSlot) = (jobs[job].ahead, jobs[job].needsSlot)
    for other in closure(ahead, needsSlot: needsSlot, countsSlots: true).jobs {
      raise(other, to: priority, atLeast: false)
    }
    for other in closure(ahead, needsSlot: false, countsSlots: false).jobs { raise(other, to: priority) }
    if needsSlot, !hasFreeSlot { for other in slotHolders { raise(other, to: priority) } }
  }

  private mutating func raise(_ job: Int, to priority: UInt8, atLeast: Bool = true) {
    let raised = jobs[job].raised
    jobs[job].raised =
      (atLeast ? max(raised.lowerBound, priority) : raised.lowerBound)...max(raised.upperBound, priority)
  }

  /// What follows from the rest: each job that may run has its turn, and callers of `drain` that wait for nothing go on.
  private mutating func settle(_ isGranted: (Int) -> Bool) {
    for job in waiting
    where !jobs[job].isDraft && jobs[job].readySince == nil && jobs[job].ahead.isDisjoint(with: line) {
      jobs[job].readySince = step
    }
    for job in waiting where !jobs[job].needsSlot && mayRun(job) { jobs[job].fate = .granted }
    let wereReady = readyForSlot
    // The one that has been ready for longest has the next slot.
    func mayHaveSlot(_ job: Int) -> Bool { !isPaused || mayBeginInPause(job) }
    while hasFreeSlot, let oldest = readyForSlot.filter(mayHaveSlot).map({ jobs[$0].readySince! }).min() {
      let candidates = readyForSlot.filter { jobs[$0].readySince == oldest && mayHaveSlot($0) }
      jobs[candidates.first(where: isGranted) ?? candidates[0]].fate = .granted
    }
    if !isPaused { raiseSlotHolders(wereReady) }
    if let touch = drains {
      let isIdle =
        awaitsPause
        ? !line.contains { jobs[$0].hasTurn }
        : touch.keys.map { usedKeys.isDisjoint(with: $0) } ?? (line.isEmpty && untold.isEmpty)
      if isIdle { (drains, hasDrained) = (nil, true) }
    }
  }
}

// MARK: - Slots and priority

extension LineModel {
  /// Who waits for nothing but a slot raises those that have one, and may raise all that wait for one.
  private mutating func raiseSlotHolders(_ wereReady: [Int]) {
    let urgency = wereReady.map { jobs[$0].raised.upperBound }.max() ?? 0
    for job in readyForSlot {
      for holder in slotHolders { raise(holder, to: jobs[job].raised.lowerBound) }
      for other in slotHolders + readyForSlot { raise(other, to: urgency, atLeast: false) }
    }
  }
}

// MARK: - Which events are possible

extension LineModel {
  /// Those of so many jobs over so many keys; the next new key is always the lowest that no job has named.
  func possibleEvents(jobs most: Int, keys: Int, nests: Bool) -> [Event] {
    var events: [Event] = [isPaused ? .resume : .pause]
    if !isClosed, !line.isEmpty { events.append(.close) }
    if jobs.count < most {
      let named = jobs.reduce(into: Set<Int>()) { $0.formUnion($1.touch.keys ?? []) }
      let known = min(keys, named.count + 1)
      // Where all jobs need a slot, none touches every key.
      let touches = Self.touches(keys: known, pairs: min(keys, named.count + 2))
        .filter { $0.keys != nil || !settings.slotsAreForAll }
      events += touches.map { .join($0) } + [.draft(0)]
      if line.isEmpty, !isPaused, !isClosed {
        events += settings.slotsAreForAll ? [.enter(key: 0)] : [.enter(key: nil), .enter(key: 0)]
      }
      if !settings.slotsAreForAll { events += [.enterKey(0), .enterKey(1)] }
      if nests { events += nestings(touches) }
    }
    if !line.isEmpty, line.allSatisfy({ jobs[$0].fate == .running }) { events.append(.settle) }
    for job in line {
      switch jobs[job].fate {
      case .waiting: events += jobs[job].isDraft ? [.leave(job), .passDraft(job)] : [.leave(job)]
      case .granted: events += [.begin(job), .leave(job)]
      case .revoked: events.append(.begin(job))
      // What is called in a turn ends before that.
      case .running where line.contains { jobs[$0].outer == job }: events.append(.leave(job))
      case .running: events += [.finish(job), .leave(job)]
      case .ended, .rejected: break
      }
      if jobs[job].isSubmitted, !jobs[job].touch.isRead, jobs[job].fate == .waiting || jobs[job].fate == .granted {
        events.append(.replace(job))
      }
    }
    if line.contains(where: { jobs[$0].fate == .waiting || jobs[$0].fate == .granted }) {
      events += [.withdraw, .withdrawKey(0)]
    }
    if !untold.isEmpty { events.append(.tell) }
    if drains != nil {
      events.append(.leaveDrain)
    } else if !hasDrained, !line.isEmpty {
      events += [.drain, .drainKey(0), .pauseAndWait]
    }
    return events
  }

  static func touches(keys: Int, pairs: Int) -> [Touch] {
    var touches = [Touch(keys: nil), Touch(keys: [])]
    for key in 0..<keys { touches += [Touch(keys: [key]), Touch(keys: [key], isRead: true)] }
    for key in 0..<pairs { for other in 0..<key { touches.append(Touch(keys: [other, key])) } }
    return touches
  }

  /// Jobs over other keys that may be called in one that runs, unless that would be a deadlock.
  private func nestings(_ touches: [Touch]) -> [Event] {
    line.filter { jobs[$0].fate == .running && jobs[$0].touch.keys != nil }.flatMap { outer in
      touches.filter { touch in
        guard let keys = touch.keys, keys.isDisjoint(with: jobs[outer].touch.keys!) else { return false }
        let ahead = standing(of: touch, isPart: isPart(touch, of: outer)).ahead
        let turns = Set(sequence(first: outer) { jobs[$0].outer })
        return closure(ahead, needsSlot: false, countsSlots: true).jobs.isDisjoint(with: turns)
      }.map { .nest($0, in: outer) }
    }
  }
}
