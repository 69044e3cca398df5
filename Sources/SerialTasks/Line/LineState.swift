import Synchronization

/// The whole of what a line knows but for the keys themselves, and every decision it makes.
///
/// It runs under the lock of its line. It never resumes, cancels or calls the jobs and tasks that it decides about.
///
/// A job takes all of its places in one step, so two jobs are never behind each other, and of those that wait the oldest has no
/// waiting job in its way. When all places of a job are ready, it may run, unless the line is paused or has no slot for it:
///
/// ```
///             join                        a place ahead is removed
///   (none) ─────────► places blocked ─────────────────────────► all ready ──────► granted ──────► running
///              │             │                                       ▲  paused, or     │
///              │             │ leave, withdraw                       │  no slot        │ begin, when the line was paused
///              │             ▼                                       └─────────────────┘
///              │         (no places)                                              finish: its places are removed
///              └─────────────────────────── nothing in the way ──────► granted
/// ```
///
/// A job of a line without keys is a *whole* job: it touches every key, and all of them stand in one queue (``WholeQueue``).
///
/// A caller that finds what it wants free takes it without a place: a ``LightTurn``. It is given one when a job comes that needs what
/// it has.
///
/// Invariants, checked after every mutation in debug builds:
/// - Of the places in a queue, those that are ready come first: one that is alone, or shared ones.
/// - A job that waits, and of which no place is blocked, waits for the end of a pause, or for a slot.
/// - A job that waits for another on a key, or for a whole job, has not been raised higher than that one.
/// - Of the jobs that wait for a slot, none has been raised higher than one before it or than one that has a slot, unless the
///   line is paused.
/// - Callers of `drain` wait only while something else waits or runs.
@usableFromInline
package struct LineState: ~Copyable, Sendable {
  package internal(set) var whole = WholeQueue()
  /// Where the keys are; `nil` in a line that has none.
  @usableFromInline let table: KeyIndex?
  let capacity: Int
  var limit: Int? { capacity == .max ? nil : capacity }
  /// What jobs are that callers have without a place.
  private let lightKind: Job.Kind
  @usableFromInline package internal(set) var isPaused = false
  @usableFromInline package internal(set) var isClosed = false
  /// Whether a pause has let jobs pass.
  var hasLetPass = false
  package internal(set) var lastPlace: Place = 0
  /// Jobs that are granted their turn in this very step.
  var granted = Few<Job>.none
  /// How many jobs there are, but for the caller that found the line free.
  var present = 0
  /// How many jobs wait, and how many of them are drafts.
  package internal(set) var waiting = 0
  package internal(set) var drafts = 0
  /// How many reads and how many other jobs have their turn.
  package internal(set) var reading = 0
  package internal(set) var writing = 0
  /// Number of rejected jobs whose handlers and events are still being delivered.
  package internal(set) var untold = 0
  package internal(set) var drainers = WaiterList()
  /// How many jobs have been withdrawn or cancelled.
  var interruptions = 0
  /// How many tasks that have a turn of the line await the end of a job.
  var awaited: [ObjectIdentifier: Int] = [:]
  /// The caller that found the line free, as long as no other job has come.
  package private(set) var light: LightTurn?
  /// The job that was made for it since.
  package internal(set) var lightJob: CallerJob?
  /// The place of the job that has the line itself as its turn, and when the first job came to wait behind it.
  var lineTurn: (place: Place, firstBehind: WaitStart) = (0, WaitStart())
  /// Whose turns jobs have.
  ///
  /// Safe because the line holds its state.
  unowned(unsafe) package var line: Line!
  /// Those who look at ``waiting``, or at that of a queue; made when a test asks for them.
  var observers: WaitObservers<LineState>?
  /// Ends waits when their time is over; made for the first that is limited.
  var limits: TimeLimits?
  /// Keeps the state where it is: without a field that has an address, each method that changes nothing would be given a copy of it.
  private let anchor = Atomic<UInt8>(0)

  /// Makes an empty line; a caller that finds what it wants free is a job of this kind.
  package init(
    table: KeyIndex? = nil, capacity: Int? = nil, capacityPerKey: Int? = nil, slots: Int? = nil,
    kind: Job.Kind = []
  ) {
    self.table = table
    self.capacity = capacity ?? .max
    table?.capacityPerKey = capacityPerKey ?? .max
    table?.slots = slots.map { Slots($0) }
    lightKind = kind
  }

  /// How many jobs that need a slot may run at the same time, and who has one; `nil` is no limit.
  @inline(__always) var slots: Slots? { table?.slots }

  /// The jobs that touch no key.
  var keyless: KeyQueue? { table?.keyless }

  /// How many jobs have their turn.
  package var running: Int { reading + writing + (light == nil ? 0 : 1) }

  @usableFromInline package var hasLight: Bool { light != nil }

  /// Whether a caller that comes now may take the line as a whole.
  @usableFromInline package var isFree: Bool { light == nil && present == 0 && !isPaused && !isClosed }

  /// Whether no job waits or runs, and every rejection has been reported.
  package var isIdle: Bool { light == nil && present == 0 && untold == 0 }

  /// The job that has the line itself as its turn.
  package var holder: Job? { lightJob ?? whole.first.flatMap { $0.isWaiting ? nil : $0 } }
}

// MARK: - Callers without places

extension LineState {
  /// Takes the line as a whole; it must be free.
  @usableFromInline
  package mutating func enter(name: String?, task: TaskReference?) -> Place {
    lastPlace += 1
    light = LightTurn(place: lastPlace, name: name, task: task)
    return lastPlace
  }

  /// Ends the turn of a caller that found the line free, if it has no place yet; otherwise returns its job, which is to be finished.
  @usableFromInline
  package mutating func leave() -> Job? {
    if light != nil {
      light = nil
      return nil
    }
    return lightJob
  }

  /// Whether a caller that comes now, to a key that no job touches, has its turn at once; it must not need a slot.
  ///
  /// Not while a caller drains: the end of a job without a place wakes none.
  @usableFromInline
  var admitsLight: Bool { !isPaused && !isClosed && drainers.isEmpty && whole.isEmpty }

  /// Gives the caller its turn; the key is noted in the table of keys.
  @usableFromInline
  mutating func enterKey(name: String?, task: TaskReference?, number: UInt64) -> JobTurn {
    lastPlace += 1
    present += 1
    writing += 1
    let turn = table!.turns.take(of: line)
    turn.light = LightTurn(place: lastPlace, name: name, task: task, number: number)
    return turn
  }

  @usableFromInline
  mutating func leaveKey(_ turn: JobTurn) {
    present -= 1
    writing -= 1
    table!.turns.release(turn)
    checkInvariants()
  }

  /// Gives a place to the caller that found the line free, before another job comes or looks at it.
  @usableFromInline @inline(__always)
  package mutating func settleLight() { if light != nil { giveLightAPlace() } }

  @inline(never)
  private mutating func giveLightAPlace() {
    let light = light.take()!
    let job = light.makeJob()
    table?.prepareLight(job, &self)
    job.kind = lightKind
    lightJob = job
    present += 1
    run(job)
  }

  /// Gives a place to the caller that has this turn, before a job comes that needs its key.
  mutating func settle(_ turn: JobTurn, prepare: (Job, inout LineState) -> Void) {
    guard let light = turn.light.take() else { return }
    let job = light.makeJob()
    prepare(job, &self)
    turn.give(to: job)
    writing -= 1
    run(job)
  }

  private mutating func run(_ job: CallerJob) {
    takePlaces(job)
    noteTurn(of: job)
    job.state = .running
  }

  /// Gives places to all callers that have none, before all jobs are looked at.
  @usableFromInline
  package mutating func settle() {
    settleLight()
    if let table, table.hasLights { table.settleAll(&self) }
  }
}

// MARK: - Turns

extension LineState {
  /// Grants the job its turn and, if it needs one, a slot.
  mutating func grant(_ job: Job) {
    job.state = .granted
    if job.queue != nil, job.turn == nil, job.node == nil || needsSlot(job) {
      table!.turns.take(of: line).give(to: job)
    }
    noteTurn(of: job)
  }

  private mutating func noteTurn(of job: Job) {
    if job.kind.contains(.read) { reading += 1 } else { writing += 1 }
    if needsSlot(job) { slots!.take(for: job) }
  }

  func needsSlot(_ job: Job) -> Bool { slots != nil && job.kind.contains(.slot) }

  mutating func endTurn(of job: Job) {
    if job.kind.contains(.read) { reading -= 1 } else { writing -= 1 }
    if job.notes.contains(.hasSlot) { slots!.release(by: job) }
    if job === lightJob { lightJob = nil }
    releaseTurn(of: job)
  }

  /// Takes from the job the turn that it has, or was given early.
  mutating func releaseTurn(of job: Job) { if let turn = job.turn.take() { table!.turns.release(turn) } }

  /// Gives a turn to a job that is to wait for a slot.
  mutating func giveTurnEarly(to job: Job) -> JobTurn {
    let turn = table!.turns.take(of: line)
    turn.give(to: job)
    return turn
  }
}
