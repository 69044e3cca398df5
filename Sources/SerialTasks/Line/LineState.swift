import Synchronization

/// The state of a line, except the keys, and all its decisions.
///
/// Runs under the lock of its line, and adds to ``Effects`` what to do after the unlock.
///
/// Every job has a place in the queue of all jobs and one in the queue of each of its keys. Among all jobs, a job of
/// every key is exclusive, and any other is shared. On a key, a read is shared, and any other job is exclusive. A job
/// takes all of its places in one step, and runs when all are ready and nothing holds it back (``Waiter/Stage``). It
/// loses its turn with its places, when it leaves or ends.
@usableFromInline
package struct LineState: ~Copyable {
  package let all = JobQueue()
  @usableFromInline let table: (KeyIndex & Sendable)?
  package let capacity: Int
  var limit: Int? { capacity == .max ? nil : capacity }
  private let lightKind: Job.Kind
  /// Whether an event says how many jobs are ahead.
  var countsAhead = false
  @usableFromInline package internal(set) var isPaused = false
  @usableFromInline package internal(set) var isClosed = false
  var pauses: UInt32 = 0
  package internal(set) var holds: Int32 = 0
  package internal(set) var lastPlace: Place = 0
  /// The jobs with a turn; among them, those that wait for something outside the line before they begin.
  package internal(set) var granted = 0
  package var waitingInTurn = 0
  package var interruptions = 0
  package private(set) var light: LightTurn?
  /// The job that the caller of `light` was given since.
  package internal(set) var lightJob: CallerJob?
  package internal(set) var rare: RareState?
  /// Safe because the line retains its state.
  unowned(unsafe) package var line: Line!
  /// Keeps the state at its address: otherwise each nonmutating method would copy it.
  private let anchor = Atomic<UInt8>(0)

  /// Makes a caller that finds the line free a job of this kind.
  package init(
    table: (KeyIndex & Sendable)? = nil, capacity: Int? = nil, capacityPerKey: Int? = nil, slots: Int? = nil,
    kind: Job.Kind = []
  ) {
    self.table = table
    self.capacity = capacity ?? .max
    table?.capacityPerKey = capacityPerKey ?? .max
    table?.slots = slots.map { Slots($0) }
    lightKind = kind
  }

  @inline(__always) var slots: Slots? { table?.slots }

  package var waiting: Int { Int(all.waiting) }
  package var running: Int { granted }

  @usableFromInline package var isFree: Bool { light == nil && all.isEmpty && !isPaused && !isClosed }

  /// Whether no job waits or runs, and every rejection is reported and every handler called.
  package var isIdle: Bool { all.isEmpty && rare?.isQuiet ?? true }

  var runningJob: String? {
    var name: String?
    if granted == 1 { forEachRunning { name = $0.name } }
    return name
  }

  @inline(__always)
  func forEachRunning(_ body: (Job) -> Void) { all.forEachReady { if !$0.isWaiting { body($0) } } }

  /// The job whose turn is the line itself.
  package var holder: Job? {
    lightJob ?? all.places.first.flatMap { all.isShared($0) || $0.claimant.isWaiting ? nil : $0.claimant }
  }
}

/// Rarely needed state, created on demand; safe because it is accessed only under the lock of the line.
package final class RareState {
  @exclusivity(unchecked) var drainers = LinkedList<LineDrainer>()
  /// Rejected jobs whose handlers and events are still being delivered.
  @exclusivity(unchecked) var untold = LinkedList<Job>()
  /// How many handlers the main actor has to call, by the places of their jobs.
  @exclusivity(unchecked) var calls: [Place: Int] = [:]
  @exclusivity(unchecked) package var observers: WaitObservers<LineState>?
  @exclusivity(unchecked) var limits: TimeLimits?

  var isQuiet: Bool { untold.isEmpty && calls.isEmpty }
}

extension LineState {
  package var rareState: RareState {
    mutating get {
      let state = rare ?? RareState()
      rare = state
      return state
    }
  }
}

// MARK: - Arriving

extension LineState {
  @usableFromInline
  package mutating func prepare(_ job: Job, touching touched: consuming TouchedQueues) {
    job.take(touched)
    job.share(onKey: false)
    if job.kind.contains(.read) { job.forEachKey { place, _ in place.share(onKey: true) } }
  }

  @usableFromInline
  package mutating func arrive(_ job: Job, _ effects: inout Effects) -> Arrival {
    if let why = refusal(of: job) {
      job.reject(why)
      forgetKeys(of: job, &effects)
      job.losePlaces()
      return .rejected(why)
    }
    lastPlace += 1
    job.place = lastPlace
    // The task of a read does this itself.
    job.awaitsTask = job.isSubmitted && !job.kind.contains(.read)
    if holds > 0, !job.isNested, !job.isOnHold { release(before: job, &effects) }
    takePlaces(job, &effects)
    defer { checkInvariants() }
    if job.pending == 0, !isHeldBack(job), !lacksSlot(job) {
      giveTurn(to: job)
      return .granted
    }
    job.hasWaited = true
    countWaiting(job, 1)
    let ahead = countsAhead ? countAhead(of: job) : 0
    if job.pending == 0 { ready(job, &effects) }
    raise(aheadOf: job, to: job.raisedTo, &effects)
    return .waiting(ahead: ahead)
  }

  /// Accepts a nested call, which is part of its turn.
  @inline(__always)
  private func refusal(of job: Job) -> JobRejection? {
    if isClosed, !job.isNested { return .closed }
    let isImmediate = job.kind.contains(.immediate)
    if !isImmediate, job.isNested || capacity == .max && table?.capacityPerKey ?? .max == .max { return nil }
    return refusalIfItHasToWait(isImmediate, job)
  }

  private func refusalIfItHasToWait(_ isImmediate: Bool, _ job: Job) -> JobRejection? {
    var mustWait = job.isOnHold || isHeldBack(job) || lacksSlot(job)
    job.forEachPlace(all) { place, queue in
      if !queue.admits(shared: queue.isShared(place), nested: job.isNested) { mustWait = true }
    }
    if !mustWait { return nil }
    if isImmediate { return .late }
    if waiting + waitingInTurn >= capacity { return .full(capacity: capacity) }
    let capacityPerKey = table?.capacityPerKey ?? .max
    var isFull = false
    job.forEachKey { if $1.waiting >= capacityPerKey { isFull = true } }
    return isFull ? .keyFull(capacity: capacityPerKey) : nil
  }

  @inline(__always)
  private mutating func takePlaces(_ job: Job, _ effects: inout Effects) {
    if job.isOnHold {
      job.pending = 1
      holds += 1
    } else {
      job.stage = .blocked
    }
    if job.isNested { return pushIn(job, &effects) }
    all.append(job, of: job, tangled: !job.touchesEveryKey)
    let isTangled = job.isOnHold || !job.touchesOneKey
    job.forEachKey { $1.append($0, of: job, tangled: isTangled) }
  }

  private mutating func pushIn(_ job: Job, _ effects: inout Effects) {
    var overtaken: [Job] = []
    job.forEachPlace(all) { place, queue in queue.push(place, of: job) { overtaken.append($0) } }
    for other in overtaken {
      endWaitForSlot(other)
      if other.stage == .heldBack { other.stage = .blocked }
      raise(aheadOf: other, to: other.raisedTo, &effects)
    }
    // It delays everything behind it.
    job.forEachPlace(all) { if $1.places.after($0) != nil { job.raisedTo = max(job.raisedTo, $1.highest) } }
  }
}

// MARK: - Turns

extension LineState {
  func needsSlot(_ job: Job) -> Bool { slots != nil && job.kind.contains(.slot) }

  @inline(__always)
  func lacksSlot(_ job: Job) -> Bool {
    guard let slots, job.kind.contains(.slot) else { return false }
    return slots.areTaken || !slots.waiting.isEmpty && !passes(job)
  }

  /// Grants the turn of a job whose places are all ready, unless it is held back.
  @inline(never)
  mutating func ready(_ job: Job, _ effects: inout Effects) {
    if isHeldBack(job) { return job.stage = .heldBack }
    if lacksSlot(job) { return waitForSlot(job, &effects) }
    grant(job, &effects)
  }

  mutating func grant(_ job: Job, _ effects: inout Effects) {
    countWaiting(job, -1)
    giveTurn(to: job)
    if job.raisedTo > job.priority { effects.escalate(job, to: job.raisedTo) }
    effects.grant(job)
  }

  @inline(__always)
  private mutating func giveTurn(to job: Job) {
    job.grant()
    granted += 1
    if !job.touchesEveryKey, job.turn == nil, !job.hasSharers { table!.turns.give(to: job, of: line) }
    if let slots, job.kind.contains(.slot) {
      slots.taken += 1
      job.raisedTo = max(job.raisedTo, slots.urgent)
    }
  }

  private mutating func waitForSlot(_ job: Job, _ effects: inout Effects) {
    if job.turn == nil { table!.turns.give(to: job, of: line) }
    if passes(job) { slots!.waiting.prepend(job.turn!) } else { slots!.waiting.append(job.turn!) }
    job.stage = .awaitsSlot
    raise(aheadOf: job, to: job.raisedTo, &effects)
  }

  /// Called when the job has left, or waits for more than a slot.
  mutating func endWaitForSlot(_ job: Job) {
    guard job.stage == .awaitsSlot else { return }
    job.stage = .blocked
    slots!.waiting.remove(job.turn!)
    if slots!.waiting.isEmpty { slots!.urgent = 0 }
    releaseTurn(of: job)
  }

  /// Grants free slots; in a pause, only to jobs that it exempts.
  mutating func fillSlots(_ effects: inout Effects) {
    guard let slots else { return }
    while !slots.areTaken, let job = slots.waiting.first?.owner, !isHeldBack(job) {
      slots.waiting.remove(job.turn!)
      grant(job, &effects)
    }
    if slots.waiting.isEmpty { slots.urgent = 0 }
  }

  /// Begins the job, or returns why it will never run: the last moment at which it can be rejected.
  package mutating func begin(_ job: Job) -> JobRejection? {
    guard job.stage == .granted else { return job.rejection! }
    job.stage = .running
    return nil
  }
}

// MARK: - Ending

extension LineState {
  package mutating func end(_ job: Job, _ effects: inout Effects) {
    if job === lightJob { lightJob = nil }
    remove(job, &effects)
    if rare != nil { countDown(job, &effects) }
    checkInvariants()
  }

  /// Removes the job, which has ended or was rejected, and is retained by the caller.
  mutating func remove(_ job: Job, _ effects: inout Effects) {
    if !job.isWaiting {
      goOn(job)
      granted -= 1
      if let slots, job.kind.contains(.slot) { slots.taken -= 1 }
    } else {
      countWaiting(job, -1)
      endWaitForSlot(job)
      endHold(of: job)
    }
    job.stage = .gone
    releaseTurn(of: job)
    remove(job, from: all, &effects)
    job.forEachKey {
      remove($0, from: $1, &effects)
      if $1.isUnused { forget($1, &effects) }
    }
    job.losePlaces()
    fillSlots(&effects)
  }

  @inline(__always)
  private mutating func remove(_ place: TwiceLinked, from queue: JobQueue, _ effects: inout Effects) {
    queue.remove(place) { job in
      job.pending -= 1
      if !queue.urgency.isEmpty { raise(job, in: queue, &effects) }
      if job.pending == 0 { ready(job, &effects) }
    }
  }

  /// Raises the job to the priority of those behind it.
  @inline(never)
  private mutating func raise(_ job: Job, in queue: JobQueue, _ effects: inout Effects) {
    queue.urgency.forget(before: job.standing)
    raise(job, to: queue.urgency.priority(at: job.standing), &effects)
  }

  private mutating func releaseTurn(of job: Job) { if let turn = job.turn.take() { table!.turns.release(turn) } }

  mutating func forget(_ queue: JobQueue, _ effects: inout Effects) {
    table!.remove(queue)
    effects.release(queue)
  }

  private mutating func forgetKeys(of job: Job, _ effects: inout Effects) {
    job.forEachKey { if $1.isUnused { forget($1, &effects) } }
  }

  @inline(__always)
  mutating func countWaiting(_ job: Job, _ difference: Int32) {
    all.waiting += difference
    job.forEachKey { $1.waiting += difference }
    if difference > 0, let observers = rare?.observers { observers.note(self) }
  }
}

// MARK: - Callers without places

extension LineState {
  @usableFromInline
  package mutating func enter(name: String?, task: TaskReference?) -> Place {
    lastPlace += 1
    light = LightTurn(place: lastPlace, name: name, task: task)
    return lastPlace
  }

  /// Ends the turn of a caller without a place; otherwise returns its job, which must be ended.
  @usableFromInline
  package mutating func leave() -> Job? {
    if light != nil {
      light = nil
      return nil
    }
    return lightJob
  }

  @usableFromInline @inline(__always)
  package mutating func settle() { if light != nil { giveLightAPlace() } }

  @inline(never)
  private mutating func giveLightAPlace() {
    let light = light.take()!
    // Its task has not ended: it must take the lock first.
    let job = CallerJob(name: light.name, priority: light.task?.priority ?? 0, task: light.task)
    job.place = light.place
    job.kind = lightKind
    table?.prepareLight(job, &self)
    var effects = Effects()
    takePlaces(job, &effects)
    lightJob = job
    granted += 1
    if needsSlot(job) { slots!.taken += 1 }
    job.grant()
    job.stage = .running
  }
}

/// A caller that found the line free, and took it without a place; it gets one as soon as another job arrives.
@usableFromInline
package struct LightTurn: Sendable {
  package let place: Place
  package let name: String?
  package let task: TaskReference?
}
