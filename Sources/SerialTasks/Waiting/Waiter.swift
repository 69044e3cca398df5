/// A waiter for a decision: a caller (``Caller``), or a job with its place (`Job`).
///
/// A caller is `blocked` until it is `granted` what it waits for, or `gone`, and may park again; a job goes through all of
/// its stages. Nothing is resumed while it ``isWaiting``, and nothing runs that was ever rejected.
///
/// Safe because every mutable property is accessed only under the lock of what the waiter waits for: a line, or the
/// outcome of a submitted job.
@usableFromInline
package class Waiter: TwiceLinked, @unchecked Sendable {
  /// Where a waiter stands.
  ///
  /// ```
  ///   new ──► onHold ──► blocked ◄──► heldBack ──► awaitsSlot ──► granted ──► running ◄──► waitsInTurn
  ///                         ▲                          ▼
  ///                         └──────────────────────────┘                     (any of them) ──► gone
  /// ```
  ///
  /// After `blocked`, a step is left out where there is nothing to wait for. From `granted` on, a job has its turn. A job
  /// that takes another's place begins where that one stood.
  @usableFromInline
  package enum Stage: UInt8, Comparable, Sendable {
    case new
    /// May not begin yet, whatever its places are; see ``LineState/release(_:_:)``.
    case onHold
    /// Has a place that is not ready.
    case blocked
    case heldBack
    case awaitsSlot
    case granted
    case running
    case waitsInTurn
    /// Was rejected or replaced, or has ended.
    case gone

    @usableFromInline package static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  // Ordered to take the least memory: a million waiters may exist at once.

  private let kind: Kind
  /// On arrival.
  @usableFromInline package final let priority: UInt8
  /// Whether a submitted job's task is being created or raised; resumed before that, the job would run inside `submit` (``Suspension``, 3).
  @exclusivity(unchecked) package internal(set) final var awaitsTask = false
  @exclusivity(unchecked) package final var isCancelled = false
  /// Whether it was the last to leave a read that never begins, and so reports its end.
  @exclusivity(unchecked) package final var endsJob = false
  /// Whether it leaves when its limit has passed; set before it waits.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var isLimited = false
  @usableFromInline package final let name: String?
  @exclusivity(unchecked) @usableFromInline final var ownPlace: Place = 0
  /// A submitted job has it before its arrival.
  ///
  /// A caller's own task sets it once, under the lock, and reads it without.
  @exclusivity(unchecked) @usableFromInline package final var start = WaitStart()
  /// Set when the waiter parks, and taken by the code that decides.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var suspension: Suspension?
  /// A submitted job's task; for the last caller to leave a flight, the task that it must cancel.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var handle: Task<Void, Never>?
  @exclusivity(unchecked) private final var why: JobRejection?
  @exclusivity(unchecked) @usableFromInline package final var stage: Stage {
    willSet { assert(stage.successors.contains(newValue), "a waiter that is \(stage) becomes \(newValue)") }
  }

  @usableFromInline
  package init(_ kind: Kind = .caller, at stage: Stage = .blocked, name: String? = nil, priority: UInt8 = 0) {
    self.kind = kind
    self.stage = stage
    self.name = name
    self.priority = priority
  }

  // Another module would check exclusive access to the stored properties.

  @_alwaysEmitIntoClient
  package final var place: Place {
    @inline(__always) get { ownPlace }
    @inline(__always) set { ownPlace = newValue }
  }

  @usableFromInline package enum Kind: Sendable { case caller, submitted, detached, drainer, pauser }

  package final var isSubmitted: Bool { kind == .submitted || kind == .detached }

  package final var isDetached: Bool { kind == .detached }

  final var pauses: Bool { kind == .pauser }

  @usableFromInline package final var isWaiting: Bool { stage < .granted }

  package final var hasBegun: Bool { stage > .granted }

  @usableFromInline package final var isRejected: Bool { why != nil }

  /// Read without the lock by the waiter's own task after the decision, which is final.
  @usableFromInline package final var rejection: JobRejection? { why }

  /// Takes the suspension, to be resumed after the unlock; `nil` if the waiter has not parked, and finds the decision then.
  @usableFromInline package final func takeSuspension() -> Suspension? { awaitsTask ? nil : suspension.take() }

  /// Returns `false` if the decision was made.
  @usableFromInline package final func park(_ suspension: Suspension) -> Bool {
    guard isWaiting || awaitsTask else { return false }
    self.suspension = suspension
    return true
  }

  /// Gives a caller what it waits for, or a job its turn.
  @usableFromInline package final func grant() { stage = .granted }

  /// Rejects a waiter that has no places.
  @usableFromInline package final func reject(_ why: JobRejection) {
    noteRejection(why)
    stage = .gone
  }

  /// Notes why it will never run; a job is `gone` when it has lost its places.
  func noteRejection(_ why: JobRejection) {
    self.why = why
    switch why {
    case .cancelled, .withdrawn: isCancelled = true
    default: break
    }
  }

  package func escalate(to priority: UInt8) -> Task<Void, Never>? { handle }

  // Only callers have these; see ``Caller``.

  /// The turn in which its task was started, if noted to report a long turn.
  var startedIn: DoubtfulTurn? {
    get { nil }
    set { preconditionFailure("only a caller waits") }
  }

  @usableFromInline package func begin(_ wait: any OngoingWait) { preconditionFailure("only a caller waits") }

  @usableFromInline package func endWait() {}

  /// Settles the handles of a submitted job that will never run; called at most once, by the cause of the rejection,
  /// outside every lock.
  package func settle(rejected why: JobRejection) {}

  @usableFromInline
  package func settleWithWork() { preconditionFailure("only a caller of shared work has its result") }

  deinit {
    precondition(suspension == nil, "a parked waiter was dropped without being resumed: this is a bug in SerialTasks")
  }
}

/// A position in a line; places rise, and are never used twice.
@usableFromInline package typealias Place = UInt64

@usableFromInline package typealias WaiterList = LinkedList<Waiter>

extension Few<Suspension> {
  @usableFromInline @inline(never)
  package mutating func append(waiter: Waiter) {
    if let suspension = waiter.takeSuspension() { append(suspension) }
  }

  @usableFromInline
  package consuming func resumeAll() { forEach { $0.resume() } }
}
