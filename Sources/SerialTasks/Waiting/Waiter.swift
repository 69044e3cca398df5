/// One who waits for a decision: a caller (``Caller``), or a job with its place (`Job`).
///
/// ```
///              grant              begin
///   waiting ───────────► granted ────────► running          (from `granted` on it holds the turn)
///      │ leave, withdraw    │ leave, withdraw
///      ▼                    │
///   rejected(why) ◄─────────┘                               (the turn is passed on)
/// ```
///
/// `running` and `rejected` are terminal. Every waiter reaches one of them exactly once; nothing is resumed before it has
/// left `waiting`, and nothing runs that was ever `rejected`.
///
/// Safe because every mutable property is reached only under the lock of what the waiter waits for (a line, or the outcome of
/// a submitted job), but for what says for itself why. So accesses exclude each other, and are not checked for it a second
/// time, which took longer than the lock.
@usableFromInline
package class Waiter: Linked, @unchecked Sendable {
  @usableFromInline package enum State: Sendable, Equatable {
    case waiting
    case granted
    case running
    case rejected(JobRejection)
  }

  // The order is that in which they take the least room; a million of them may wait at once.

  private let kind: Kind
  /// The priority with which it came.
  @usableFromInline package final let priority: UInt8
  /// Whether a submitted job's task is just being made.
  ///
  /// It is not resumed before that: a continuation that is resumed before its task has suspended goes on without suspending,
  /// and the job would run inside `submit`.
  @exclusivity(unchecked) package final var awaitsTask = false
  /// Whether a submitted job was asked to stop.
  @exclusivity(unchecked) package final var isCancelled = false
  /// Whether a caller was the last to leave a read that has not begun, and so reports its end.
  @exclusivity(unchecked) package final var endsJob = false
  /// Whether it leaves by itself when its limit has passed; set before it waits.
  @exclusivity(unchecked) @usableFromInline package final var isLimited = false
  /// The job's name, for events and snapshots.
  @usableFromInline package final let name: String?
  @exclusivity(unchecked) @usableFromInline final var ownPlace: Place = 0
  /// When it began to wait.
  @exclusivity(unchecked) @usableFromInline package final var start = WaitStart()
  /// Set by the caller when it parks, taken by what decides.
  @exclusivity(unchecked) @usableFromInline package final var suspension: Suspension?
  /// The task of a submitted job, once it has been made; of a caller that is the last to leave a flight, the task that it is to
  /// cancel.
  @exclusivity(unchecked) @usableFromInline package final var handle: Task<Void, Never>?
  @exclusivity(unchecked) @usableFromInline final var ownState = State.waiting

  @usableFromInline package init(_ kind: Kind = .caller, name: String? = nil, priority: UInt8 = 0) {
    self.kind = kind
    self.name = name
    self.priority = priority
  }

  // Not the stored properties themselves: another module does not see that accesses to those are not checked.

  @_alwaysEmitIntoClient
  package final var place: Place {
    @inline(__always) get { ownPlace }
    @inline(__always) set { ownPlace = newValue }
  }

  @_alwaysEmitIntoClient
  package final var state: State {
    @inline(__always) _read { yield ownState }
    @inline(__always) _modify { yield &ownState }
  }

  @usableFromInline package enum Kind: Sendable { case caller, submitted, detached, drainer, pauser }

  /// Whether a task of the executor's own stands here (`submit`) and not the task of a caller (`enqueue`).
  package final var isSubmitted: Bool { kind == .submitted || kind == .detached }

  /// Whether it is a submitted job that is to be found a task when it has its turn.
  package final var isDetached: Bool { kind == .detached }

  /// Whether it waits until a line is idle, or until nothing runs, and not for a turn.
  package final var isDrainer: Bool { kind == .drainer || kind == .pauser }

  /// Whether it has paused a line, and waits until nothing runs.
  package final var pauses: Bool { kind == .pauser }

  /// Whether nothing has been decided yet; asked often, so it does not compare reasons.
  @usableFromInline package final var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// Whether it runs, or has been rejected: how long it waited does not change any more.
  package final var hasBegun: Bool {
    switch state {
    case .waiting, .granted: false
    case .running, .rejected: true
    }
  }

  /// Whether it was rejected, and does not hold the turn (any more).
  @usableFromInline package final var isRejected: Bool { if case .rejected = state { true } else { false } }

  /// Why it was rejected.
  ///
  /// The waiter's own task may ask without the lock once that is decided, for then nothing changes any more.
  @usableFromInline package final var rejection: JobRejection? {
    if case .rejected(let why) = state { why } else { nil }
  }

  /// Takes the suspension out, to be resumed after the unlock; `nil` if it has not parked, and finds the decision then.
  @usableFromInline package final func takeSuspension() -> Suspension? { awaitsTask ? nil : suspension.take() }

  /// Keeps the suspension, unless what the waiter waits for has been decided; returns whether it was kept.
  @usableFromInline package final func park(_ suspension: Suspension) -> Bool {
    guard isWaiting || awaitsTask else { return false }
    self.suspension = suspension
    return true
  }

  package func reject(_ why: JobRejection) { state = .rejected(why) }

  /// Returns the task of its own that is to be raised.
  package func escalate(to priority: UInt8) -> Task<Void, Never>? { handle }

  // What only a caller has; see ``Caller``.

  /// The turn in which its task was started, where that is noted: it waits, and turns that take too long are reported.
  package var startedIn: DoubtfulTurn? {
    get { nil }
    set { preconditionFailure("only a caller waits") }
  }

  @usableFromInline func begin(_ wait: any OngoingWait) { preconditionFailure("only a caller waits") }

  @usableFromInline package func endWait() {}

  /// Settles the handles of a submitted job that will never run.
  ///
  /// Called once at most, by the cause of the rejection, outside every lock.
  package func settle(rejected why: JobRejection) {}

  /// Settles the handles of a submitted read with the result of the read, which has ended.
  @usableFromInline
  package func settleWithRead() { preconditionFailure("only a submitted read has the result of a read") }

  deinit {
    precondition(suspension == nil, "a parked waiter was dropped without being resumed: this is a bug in SerialTasks")
  }
}

/// A position in a line; places are handed out in rising order, and none twice by one line.
@usableFromInline package typealias Place = UInt64

@usableFromInline package typealias WaiterList = LinkedList<Waiter>

extension Few<Suspension> {
  /// Adds the waiter's suspension; one that has not parked yet has none, and finds the decision when it does.
  @usableFromInline
  package mutating func append(waiter: Waiter) {
    if let suspension = waiter.takeSuspension() { append(suspension) }
  }

  @usableFromInline
  package consuming func resumeAll() { forEach { $0.resume() } }
}
