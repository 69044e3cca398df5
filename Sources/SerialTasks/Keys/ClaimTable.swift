/// The whole of what a line of keys knows but for the keys themselves, and every decision it makes.
///
/// It runs under the lock of its line. It never resumes, cancels or calls the waiters and tasks that it decides about.
///
/// A job takes all of its claims in one step, so two jobs are never behind each other, and of those that wait the oldest has no
/// waiting job in its way. When all claims of a job are ready, it may run, unless the line is paused or has no slot for it:
///
/// ```
///             join                        a claim ahead is removed
///   (none) ─────────► claims blocked ──────────────────────────► all ready ──────► granted ──────► running
///              │             │                                       ▲  paused, or     │
///              │             │ leave, withdraw                       │  no slot        │ begin, when the line was paused
///              │             ▼                                       └─────────────────┘
///              │         (no claims)                                              finish: its claims are removed
///              └─────────────────────────── nothing in the way ──────► granted
/// ```
///
/// A caller that finds the line free takes it as a whole, without claims: the *solo*. Claims are made for it when the next job
/// comes. A caller that finds its key free takes that without claims, too; they are made for it when a job comes that needs the
/// key (``KeyTable/enter(_:_:named:task:)``).
///
/// Invariants, checked after every mutation in debug builds:
/// - Of the claims in a queue, those that are ready come first: one that is alone, or shared ones.
/// - A job that waits, and of which no claim is blocked, is in a list of ready jobs, unless it is a draft.
/// - No such list has a job that could run.
/// - A job that waits for another on a key has not been raised higher than that one.
/// - Of the jobs that wait for a slot, none has been raised higher than one before it or than one that has a slot, unless the
///   line is paused.
/// - Callers of `drain` wait only while something else waits or runs.
@usableFromInline
package struct ClaimTable: ~Copyable, Sendable {
  /// All jobs that touch a key; one that touches every key is alone in it.
  @usableFromInline package let all = KeyQueue()
  /// All jobs that touch none: they share it, so none is in the way of another.
  @usableFromInline package let keyless = KeyQueue()
  @usableFromInline package let keys: KeyIndex
  package let capacity: Int?
  package let capacityPerKey: Int?
  /// How many jobs that need a slot may run.
  package let slots: Int?
  @usableFromInline package internal(set) var isPaused = false
  @usableFromInline package internal(set) var isClosed = false
  package private(set) var lastPlace: Place = 0
  /// Jobs of which no claim is blocked: those that are granted their turn in this very step, those that wait for the end of a
  /// pause, and those that wait for a slot.
  var granted = ReadyList()
  var paused = ReadyList()
  var readyForSlot = ReadyList()
  /// Jobs that have a slot, and how many they are; none if there is no limit.
  var slotHolders = ReadyList()
  package internal(set) var slotsTaken = 0
  /// What all jobs that have a slot have been raised to, at least.
  var slotFloor: UInt8 = .max
  /// The first job that came to wait for a slot in this very step, and has not raised those before it yet.
  var newlyReady: ObjectIdentifier?
  /// How many jobs there are, but for the solo.
  var present = 0
  /// How many jobs wait.
  package internal(set) var waiting = 0
  /// How many reads and how many other jobs have their turn.
  package internal(set) var reading = 0
  package internal(set) var writing = 0
  /// How many jobs have their turn and have not begun; see ``PendingTurns``.
  var unbegun = 0
  /// Whether a pause has let jobs pass.
  var hasLetPass = false
  /// How many of those that wait are drafts.
  package internal(set) var drafts = 0
  /// Number of rejected jobs whose handlers and events are still being delivered.
  package internal(set) var untold = 0
  package internal(set) var drainers = WaiterList()
  /// The caller that found the line free, as long as no other job has come.
  package private(set) var solo: Turn.Entered?
  /// The waiter that was made for it since.
  package private(set) var soloWaiter: Waiter?
  private let soloKind: JobClaim.Kind
  let turns: TurnPool
  /// Those who look at ``waiting``, or at that of a queue.
  private let observers: WaitObservers<ClaimTable>

  /// - Parameters:
  ///   - keys: The queues of the keys.
  ///   - turns: Where the turns of jobs come from.
  ///   - capacity: Most jobs that may wait.
  ///   - capacityPerKey: Most jobs of one key that may wait.
  ///   - slots: Most jobs that run at the same time, of those that need a slot.
  ///   - kind: What a caller is that finds the line free.
  ///   - observers: Those who wait until so many wait.
  package init(
    keys: KeyIndex, turns: TurnPool, capacity: Int? = nil, capacityPerKey: Int? = nil, slots: Int? = nil,
    kind: JobClaim.Kind = [], observers: WaitObservers<ClaimTable> = WaitObservers()
  ) {
    self.keys = keys
    self.turns = turns
    self.capacity = capacity
    self.capacityPerKey = capacityPerKey
    self.slots = slots
    soloKind = kind
    self.observers = observers
  }

  /// How many jobs have their turn.
  package var running: Int { reading + writing + (solo == nil ? 0 : 1) }

  @usableFromInline package var hasSolo: Bool { solo != nil }

  /// Whether a caller that comes now may take the line as a whole.
  @usableFromInline package var isFree: Bool { solo == nil && present == 0 && !isPaused }

  /// Whether no job waits or runs, and every rejection has been reported.
  package var isIdle: Bool { solo == nil && present == 0 && untold == 0 }
}

// MARK: - The solo

extension ClaimTable {
  /// Takes the line as a whole; it must be free.
  @usableFromInline
  package mutating func enter(name: String?, task: TaskReference?) -> Place {
    lastPlace += 1
    solo = Turn.Entered(place: lastPlace, name: name, task: task)
    return lastPlace
  }

  /// The solo has ended; returns whether that is all, and no waiter was made for it (``takeSoloWaiter()``).
  @usableFromInline
  package mutating func leaveSolo() -> Bool {
    defer { solo = nil }
    return solo != nil
  }

  /// The waiter that was made for the solo, which is to be finished.
  @usableFromInline
  package mutating func takeSoloWaiter() -> Waiter? { soloWaiter.take() }

  /// Makes claims for the solo, before another job comes or looks at it.
  @usableFromInline
  package mutating func settleSolo() {
    guard let solo = solo.take() else { return }
    let waiter = Caller(name: solo.name, task: solo.task)
    let claims = keys.claimsOfSolo()
    let job = JobClaim(in: self, waiter, kind: soloKind, touchesEveryKey: claims == nil, first: claims ?? nil)
    waiter.place = solo.place
    waiter.details = job
    waiter.turn = turns.line
    soloWaiter = waiter
    job.forEachClaim { $0.queue.add($0, first: false) }
    present += 1
    grant(job)
    waiter.state = .running
  }
}

// MARK: - Callers without claims

extension ClaimTable {
  /// Whether a caller that comes now, to a key that no job touches, has its turn at once; it must not need a slot.
  ///
  /// Not while a caller drains: the end of a job without claims wakes none.
  @usableFromInline
  var admitsWithoutClaims: Bool {
    !isPaused && !isClosed && drainers.isEmpty && all.admits(shared: true, first: false)
  }

  /// Gives the caller its turn; the key is noted in the table of keys.
  @usableFromInline
  mutating func enterWithoutClaims(name: String?, task: TaskReference?) -> KeyedTurn {
    lastPlace += 1
    present += 1
    writing += 1
    let turn = turns.take(for: nil)
    turn.caller = Turn.Entered(place: lastPlace, name: name, task: task)
    return turn
  }

  @usableFromInline
  mutating func leaveWithoutClaims(_ turn: KeyedTurn) {
    present -= 1
    writing -= 1
    turns.release(turn)
    checkInvariants()
  }

  /// Makes claims for the caller that has this turn, before another job comes that needs the key.
  mutating func settle(_ turn: KeyedTurn, _ claims: Claim?) {
    guard let caller = turn.caller.take() else { return }
    let waiter = Caller(name: caller.name, task: caller.task)
    let job = JobClaim(in: self, waiter, kind: [], touchesEveryKey: false, first: claims)
    waiter.place = caller.place
    waiter.details = job
    waiter.turn = turn
    turn.claim = job
    job.forEachClaim { $0.queue.add($0, first: false) }
    waiter.state = .running
  }

  /// Makes claims for the job that has a turn without them, before all jobs are looked at.
  package mutating func settle() {
    settleSolo()
    keys.settleAll(&self)
  }
}

// MARK: - Arriving

extension ClaimTable {
  /// Gives the job its place, and its turn if nothing is in its way.
  @usableFromInline
  package mutating func join(_ job: JobClaim) -> Arrival {
    let waiter = job.waiter!
    if isClosed, !job.kind.contains(.first) { return refuse(job, .closed) }
    let mustWait = !isAdmitted(job) || isPaused && !mayBeginInPause(job) || lacksSlot(job) || job.isDraft
    if mustWait, job.kind.contains(.immediate) { return refuse(job, .late) }
    if mustWait, !job.kind.contains(.first), let capacity = overflow(job) {
      return refuse(job, .full(capacity: capacity))
    }
    lastPlace += 1
    waiter.place = lastPlace
    waiter.details = job
    waiter.awaitsTask = waiter.isSubmitted
    present += 1
    defer { checkInvariants() }
    job.forEachClaim { claim in
      if let displaced = claim.queue.add(claim, first: job.goesFirst(with: claim)) { unlist(displaced) }
    }
    guard mustWait else {
      grant(job)
      return .granted
    }
    noteAhead(of: job)
    job.meetsDrains = !job.drains.isEmpty
    job.meetsHeldBack = drafts > 0 || awaitsPause && isPart(job)
    if job.isDraft {
      job.pending += 1
      drafts += 1
    }
    countWaiting(job, 1)
    if job.pending == 0 { list(job) }
    let escalations = escalate(aheadOf: job, to: waiter.raisedTo)
    newlyReady = nil
    return .waiting(escalations)
  }

  private func isAdmitted(_ job: JobClaim) -> Bool {
    var isAdmitted = true
    job.forEachClaim {
      if !$0.queue.admits(shared: $0.isShared, first: job.goesFirst(with: $0)) { isAdmitted = false }
    }
    return isAdmitted
  }

  func needsSlot(_ job: JobClaim) -> Bool { slots != nil && job.kind.contains(.slot) }

  func lacksSlot(_ job: JobClaim) -> Bool {
    guard let slots, needsSlot(job) else { return false }
    return slotsTaken >= slots || !readyForSlot.isEmpty
  }

  /// The capacity that the job would exceed.
  private func overflow(_ job: JobClaim) -> Int? {
    if let capacity, waiting >= capacity { return capacity }
    guard let capacityPerKey else { return nil }
    var isFull = false
    job.forEachClaim { if $0 !== job, $0.queue.waiting >= capacityPerKey { isFull = true } }
    return isFull ? capacityPerKey : nil
  }

  /// The keys are still the caller's, so that none of them ends here with its queue.
  private mutating func refuse(_ job: JobClaim, _ why: JobRejection) -> Arrival {
    let waiter = job.waiter!
    waiter.details = job
    job.waiter = nil
    job.forEachClaim { if $0 !== job, $0.queue.isUnused { $0.queue.forget() } }
    return waiter.refuse(why)
  }
}

// MARK: - Granting

extension ClaimTable {
  /// It has its turn, and, if it needs one, a slot.
  mutating func grant(_ job: JobClaim) {
    let waiter = job.waiter!
    waiter.state = .granted
    if waiter.node == nil { waiter.turn = turns.take(for: job) }
    if job.kind.contains(.read) { reading += 1 } else { writing += 1 }
    if needsSlot(job) {
      slotsTaken += 1
      job.hasSlot = true
      slotHolders.append(job)
      slotFloor = min(slotFloor, waiter.raisedTo)
    }
  }

  /// It has its turn no more.
  mutating func endTurn(of job: JobClaim) {
    if job.kind.contains(.read) { reading -= 1 } else { writing -= 1 }
    if job.hasSlot {
      slotsTaken -= 1
      job.hasSlot = false
      slotHolders.remove(job)
      if slotsTaken == 0 { slotFloor = .max }
    }
    turns.release(job.waiter)
  }

  /// None of its claims is blocked; ``advance(_:)`` follows.
  mutating func list(_ job: JobClaim) {
    if job.kind.contains(.first) {
      granted.append(job)
    } else if needsSlot(job) {
      if newlyReady == nil { newlyReady = ObjectIdentifier(job) }
      readyForSlot.append(job)
    } else if isPaused, !mayBeginInPause(job) {
      paused.append(job)
    } else {
      granted.append(job)
    }
  }

  mutating func unlist(_ job: JobClaim) {
    guard job.isListed else { return }
    if needsSlot(job) { readyForSlot.remove(job) } else { paused.remove(job) }
  }

  /// Grants their turn to all jobs that may run, and lets callers of `drain` go on when there is none.
  mutating func advance(_ effects: inout Effects) {
    while let job = granted.removeFirst() { grant(job, &effects) }
    if !isPaused {
      while let job = paused.removeFirst() { grant(job, &effects) }
      while slotsTaken < slots ?? .max, let job = readyForSlot.removeFirst() { grant(job, &effects) }
      if newlyReady != nil { effects.escalations.append(contentsOf: escalateBeforeNewlyReady()) }
    } else if hasLetPass {
      while slotsTaken < slots ?? .max, let job = takeReadyInPause() { grant(job, &effects) }
    }
    newlyReady = nil
    if !drainers.isEmpty { endDrains(&effects) }
    checkInvariants()
  }

  /// Lets callers of `drain` go on when there is nothing, and callers of `pauseAndWait` when nothing runs.
  package mutating func endDrains(_ effects: inout Effects) {
    if isIdle { effects.resumeAll(&drainers) } else if running == unbegun { effects.resumePausers(of: &drainers) }
  }

  private mutating func grant(_ job: JobClaim, _ effects: inout Effects) {
    countWaiting(job, -1)
    grant(job)
    let waiter = job.waiter!
    if waiter.raisedTo > waiter.priority, let escalation = waiter.escalateTurn(to: waiter.raisedTo), !waiter.isSubmitted
    {
      effects.escalations.append(escalation)
    }
    effects.grant(waiter)
  }

  mutating func countWaiting(_ job: JobClaim, _ difference: Int) {
    waiting += difference
    job.forEachClaim { $0.queue.waiting += difference }
    if difference > 0 { observers.note(self) }
  }
}

// MARK: - Invariants

extension ClaimTable {
  /// Traps in debug builds if the state contradicts itself; costs nothing in release.
  package func checkInvariants() {
    assert(drainers.isEmpty || !isIdle, "a caller drains an idle line")
    assert(granted.isEmpty, "a job that may run was not granted its turn")
    assert(isPaused || paused.isEmpty, "a job waits for the end of a pause, and there is none")
    assert(isPaused || readyForSlot.isEmpty || slotsTaken >= slots ?? .max, "a job waits for a slot, and one is free")
    assert(
      waiting >= drafts && drafts >= 0 && reading >= 0 && writing >= 0 && untold >= 0 && slotsTaken >= 0,
      "something was counted twice")
    assert(solo == nil || all.isEmpty && keyless.isEmpty, "a job came and did not see the solo")
    assert(solo == nil || drainers.isEmpty || untold > 0, "a caller drains, and the solo would not wake it")
    assert(present > 8 || raisesAll, "a job waits for one that runs at a lower priority")
  }

  /// Whether each job has been raised as high as those that wait for it on a key.
  private var raisesAll: Bool {
    var raisesAll = true
    for job in jobs(of: all) where job.isWaiting {
      job.forEachClaim { claim in
        if claim.isReady { return }
        claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false) { ahead in
          if ahead.job.waiter.raisedTo < job.waiter.raisedTo { raisesAll = false }
        }
      }
    }
    return raisesAll
  }
}
