/// One caller (``Caller``) or one submitted job in a line: a node that is linked into it, and what has been decided about it.
///
/// ```
///              grant              begin
///   waiting ───────────► granted ────────► running          (from `granted` on it holds the turn)
///    │    ▲                │  │
///    │    └────────────────┘  │ leave, withdraw
///    │     begin, when the    ▼
///    │     line was paused   revoked(why)
///    │ leave, withdraw        │ begin
///    ▼                        ▼
///   rejected(why) ◄───────────┘                             (the turn is passed on)
/// ```
///
/// `running` and `rejected` are terminal. Every waiter reaches one of them exactly once; nothing is resumed before it has
/// left `waiting`, and nothing runs that was ever `revoked` or `rejected`.
///
/// Safe because every mutable property is reached only under the lock of what the waiter waits for (a line, or the outcome of
/// a submitted job), but for what says for itself why. So accesses exclude each other, and are not checked for it a second
/// time, which took longer than the lock.
@usableFromInline
package class Waiter: @unchecked Sendable {
  @usableFromInline package enum State: Sendable, Equatable {
    case waiting
    case granted
    case revoked(JobRejection)
    case running
    case rejected(JobRejection)
  }

  // The order is that in which they take the least room; a million of them may wait at once.

  /// The job's name, for events and snapshots.
  @usableFromInline package final let name: String?
  @exclusivity(unchecked) @usableFromInline package final var place: Place = 0
  /// When it began to wait.
  @exclusivity(unchecked) @usableFromInline package final var start = WaitStart()
  @exclusivity(unchecked) @usableFromInline package final var state = State.waiting
  /// The priority with which it came.
  @usableFromInline package final let priority: UInt8
  /// The highest priority of this waiter and of all behind it; never falls, and never rises towards the tail of a line.
  @exclusivity(unchecked) @usableFromInline package final var raisedTo: UInt8

  private let kind: Kind
  /// Whether a submitted job's task is just being made.
  ///
  /// It is not resumed before that: a continuation that is resumed before its task has suspended goes on without suspending,
  /// and the job would run inside `submit`.
  @exclusivity(unchecked) package final var awaitsTask = false
  /// Whether a submitted job was asked to stop.
  @exclusivity(unchecked) package final var isCancelled = false
  /// Whether a caller was the last to leave a read that has not begun and never will, and so reports its end.
  @exclusivity(unchecked) package final var endsJob = false
  /// Whether it leaves by itself when its limit has passed; set before it waits.
  @exclusivity(unchecked) @usableFromInline package final var isLimited = false

  /// Set by the caller when it parks, taken by what decides.
  @exclusivity(unchecked) @usableFromInline package final var suspension: Suspension?

  /// What a line of keys knows of its job; the line's.
  @exclusivity(unchecked) @usableFromInline package final var details: AnyObject?
  /// The turn that its job has, where that is not the line's own; written before the job begins.
  @exclusivity(unchecked) @usableFromInline package final var turn: WaitNode?

  /// The neighbours in the list, written by ``WaiterList`` alone.
  @exclusivity(unchecked) @usableFromInline package final fileprivate(set) var next: Waiter?
  /// Safe because a waiter's predecessor is in the same list and holds it by its `next`, and ``WaiterList`` clears this
  /// before it lets the predecessor go.
  @exclusivity(unchecked) package final fileprivate(set) unowned(unsafe) var previous: Waiter?

  /// The task of a submitted job, once it has been made; of a caller that is the last to leave a flight, the task that it is to
  /// cancel.
  @exclusivity(unchecked) @usableFromInline package final var handle: Task<Void, Never>?

  @usableFromInline package init(
    name: String? = nil, isSubmitted: Bool = false, isDrainer: Bool = false, pauses: Bool = false, priority: UInt8 = 0
  ) {
    self.name = name
    kind = isSubmitted ? .submitted : pauses ? .pauser : isDrainer ? .drainer : .caller
    self.priority = priority
    self.raisedTo = priority
  }

  /// In one byte: one more of them, and each waiter would take eight.
  private enum Kind: Sendable { case caller, submitted, drainer, pauser }

  /// Whether a task of the executor's own stands here (`submit`) and not the task of a caller (`enqueue`).
  package final var isSubmitted: Bool { kind == .submitted }

  /// Whether it waits until a line is idle, or until nothing runs, and not for a turn.
  package final var isDrainer: Bool { kind == .drainer || kind == .pauser }

  /// Whether it has paused a line, and waits until nothing runs.
  package final var pauses: Bool { kind == .pauser }

  /// Whether nothing has been decided yet; asked often, so it does not compare reasons.
  @usableFromInline package final var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// Whether it runs, or has been rejected: how long it waited does not change any more.
  package final var hasBegun: Bool {
    switch state {
    case .waiting, .granted, .revoked: false
    case .running, .rejected: true
    }
  }

  /// Whether it was rejected, and does not hold the turn (any more).
  @usableFromInline package final var isRejected: Bool { if case .rejected = state { true } else { false } }

  /// Why it was rejected, or will be when it begins.
  ///
  /// The waiter's own task may ask without the lock once that is decided, for then nothing changes any more.
  @usableFromInline package final var rejection: JobRejection? {
    switch state {
    case .rejected(let why), .revoked(let why): why
    case .waiting, .granted, .running: nil
    }
  }

  /// Takes the suspension out, to be resumed after the unlock; `nil` if it has not parked, and finds the decision then.
  @usableFromInline package final func takeSuspension() -> Suspension? { awaitsTask ? nil : suspension.take() }

  /// Keeps the suspension, unless what the waiter waits for has been decided; returns whether it was kept.
  @usableFromInline package final func park(_ suspension: Suspension) -> Bool {
    guard isWaiting || awaitsTask else { return false }
    self.suspension = suspension
    return true
  }

  /// How its job is raised: a caller's own task only while it has the turn, and held for that.
  package final func escalateTurn(to priority: UInt8) -> Escalation? {
    if isSubmitted { return Escalation(target: .job(self), priority: priority) }
    return holdCaller().map { Escalation(target: .caller($0), priority: priority) }
  }

  /// The task that was made for it is known.
  final func attach(_ task: Task<Void, Never>) -> Attachment {
    handle = task
    awaitsTask = false
    return Attachment(isCancelled: isCancelled, raisedTo: raisedTo, suspension: isWaiting ? nil : takeSuspension())
  }

  /// Rejects it when it arrives.
  package final func refuse(_ why: JobRejection) -> Arrival {
    reject(why)
    return .rejected(why)
  }

  /// It goes on: it runs, or learns that it was rejected.
  package final func begin() -> Beginning {
    switch state {
    case .granted:
      state = .running
      return .run
    case .revoked(let why):
      state = .rejected(why)
      return .revoked(why)
    case .rejected(let why): return .gone(why)
    case .waiting, .running: preconditionFailure("a waiter begins once, and only when it was granted the turn")
    }
  }

  // What only a caller has; see ``Caller``.

  package var pin: EscalationPin? { nil }

  package func holdCaller() -> EscalationPin? { nil }

  @usableFromInline func begin(_ wait: OngoingWait) { preconditionFailure("only a caller waits") }

  @usableFromInline func endWait() {}

  // What a line asks of a waiter, under its lock. A waiter may stand for more than one caller.

  /// The turn of its job, as the wait graph sees it.
  @usableFromInline package var node: WaitNode? { turn }

  /// Itself, if it is to be found a task when it has its turn.
  package var unstarted: Submission? { nil }

  /// Whether it goes out of the way of others after a while, even if it never has its turn.
  package var leavesByItself: Bool { isLimited }

  package func reject(_ why: JobRejection) { state = .rejected(why) }

  /// Whether it stands for callers that share a job.
  package var isShared: Bool { false }

  /// Hands each of these callers to the closure.
  package func forEachSharer(_ body: (Waiter) -> Void) {}

  /// It was granted its turn, and waits again.
  package func waitAgain() { state = .waiting }

  /// It was granted its turn, and is rejected when it is about to begin.
  package func revoke(_ why: JobRejection) { state = .revoked(why) }

  /// Adds the callers and the task that go on, now that it was granted or rejected.
  package func resume(into effects: inout Effects) { effects.resume(self) }

  /// It has ended its turn or left, and is in no queue of a line of keys any more; asked of reads only.
  package func loseClaims() {}

  /// Returns the task of its own that is to be raised.
  package func escalate(to priority: UInt8) -> Task<Void, Never>? { handle }

  /// Returns the task of its own that runs and is to be cancelled.
  package func cancelRunning() -> Few<Task<Void, Never>> {
    isCancelled = true
    return handle.map { .one($0) } ?? .none
  }

  /// What is to be reported when it was rejected: the job, and each caller that waited for it.
  package func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, of: Waiter, place: Place)] {
    [(.rejected(why), self, place)]
  }

  /// Its turn is about to begin, and a test watches.
  package func isWatched() {}

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

/// A waiter that is a caller's own task, with what no submitted job needs: a million of those may wait at once.
///
/// Safe like ``Waiter``.
@usableFromInline
package class Caller: Waiter, @unchecked Sendable {
  /// Its task, to be raised when it holds the turn.
  private let task: TaskReference?
  /// Its edge in the wait graph, if it holds turns while it waits, its limit and its timer, if it has them; the caller's alone.
  @exclusivity(unchecked) private var wait: OngoingWait?
  /// Keeps it from returning while its task is being raised.
  @exclusivity(unchecked) private var heldPin: EscalationPin?

  @usableFromInline
  package init(
    name: String? = nil, isDrainer: Bool = false, pauses: Bool = false, priority: UInt8 = 0, task: TaskReference? = nil
  ) {
    self.task = task
    super.init(name: name, isDrainer: isDrainer, pauses: pauses, priority: priority)
  }

  package final override var pin: EscalationPin? { heldPin }

  /// Holds its task still.
  package final override func holdCaller() -> EscalationPin? {
    heldPin = heldPin ?? task.map(EscalationPin.init)
    heldPin?.hold()
    return heldPin
  }

  @usableFromInline
  final override func begin(_ wait: OngoingWait) {
    wait.other = self.wait
    self.wait = wait
  }

  @usableFromInline
  final override func endWait() {
    while let ended = wait {
      wait = ended.other
      ended.end()
    }
  }
}

/// A caller of `drain` that holds a turn, so that a job that comes later may close a cycle.
///
/// Safe like ``Waiter``.
package final class NestedDrainer: Caller, @unchecked Sendable {
  /// Whether that is a turn of the line that it drains.
  let isPart: Bool

  package init(priority: UInt8, isPart: Bool) {
    self.isPart = isPart
    super.init(isDrainer: true, priority: priority)
  }
}

/// A position in a line; places are handed out in rising order, and none twice by one line.
@usableFromInline package typealias Place = UInt64

/// A first-in, first-out list of waiters, linked through the waiters themselves: no allocation, and O(1) to append, to take
/// the first, and to take out any.
@usableFromInline
package struct WaiterList: ~Copyable, Sendable {
  @usableFromInline package private(set) var first: Waiter?
  /// Safe because the last waiter is held by its predecessor's `next`, or by `first` when it is alone.
  package private(set) unowned(unsafe) var last: Waiter?
  @usableFromInline package private(set) var count = 0

  @usableFromInline package init() {}

  @usableFromInline package var isEmpty: Bool { first == nil }

  @usableFromInline package mutating func append(_ waiter: Waiter) {
    assert(waiter.next == nil && waiter.previous == nil && waiter !== first, "the waiter is in a list already")
    if let last {
      last.next = waiter
      waiter.previous = last
    } else {
      first = waiter
    }
    last = waiter
    count += 1
  }

  package mutating func prepend(_ waiter: Waiter) {
    assert(waiter.next == nil && waiter.previous == nil && waiter !== first, "the waiter is in a list already")
    if let first {
      first.previous = waiter
      waiter.next = first
    } else {
      last = waiter
    }
    first = waiter
    count += 1
  }

  @usableFromInline package mutating func removeFirst() -> Waiter? {
    guard let waiter = first else { return nil }
    remove(waiter)
    return waiter
  }

  /// Takes out the first, which is held elsewhere; the list must not be empty.
  package mutating func dropFirst() {
    let next = first!.next.take()
    if let next { next.previous = nil } else { last = nil }
    first = next
    count -= 1
  }

  @usableFromInline package mutating func remove(_ waiter: Waiter) {
    assert(waiter.previous != nil || first === waiter, "the waiter is not in this list")
    let (next, previous) = (waiter.next, waiter.previous)
    waiter.next = nil
    waiter.previous = nil
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
    count -= 1
  }

  /// Another takes the place of one of them.
  package mutating func replace(_ waiter: Waiter, by other: Waiter) {
    let (next, previous) = (waiter.next.take(), waiter.previous)
    waiter.previous = nil
    other.next = next
    other.previous = previous
    if let next { next.previous = other } else { last = other }
    if let previous { previous.next = other } else { first = other }
  }

  /// Takes all of them out, in order, and hands each to the closure.
  @inlinable
  package mutating func removeAll(_ body: (Waiter) -> Void) { while let waiter = removeFirst() { body(waiter) } }

  /// Hands each to the closure, in order.
  @inlinable
  package func forEach(_ body: (Waiter) -> Void) {
    var next = first
    while let waiter = next {
      next = waiter.next
      body(waiter)
    }
  }

  /// Takes all of them out, in order.
  @usableFromInline package mutating func removeAll() -> [Waiter] {
    var removed: [Waiter] = []
    removed.reserveCapacity(count)
    while let waiter = removeFirst() { removed.append(waiter) }
    return removed
  }

  package var elements: [Waiter] {
    Array(sequence(first: first) { $0?.next }.prefix { $0 != nil }.map { $0! })
  }
}
