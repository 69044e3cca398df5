/// One job: a waiter with a place.
///
/// It is its own place, in the queue of its first key or among the jobs that touch every key. What else it has places in, a ``Claim``
/// stands for: its further keys, and the whole job that it stands behind.
///
/// Safe like ``Waiter``.
@usableFromInline
package class Job: Waiter, @unchecked Sendable {
  /// Whether a job reads, what it counts against, and how it stands to the turn that it is called in.
  @usableFromInline
  package struct Kind: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @usableFromInline package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It shares its key with other reads.
    @usableFromInline package static let read = Kind(rawValue: 1)
    /// It needs one of the slots that a line has.
    @usableFromInline package static let slot = Kind(rawValue: 2)
    /// It was called in a turn of the same line, and is a part of that: it does not wait for a job that waits for every key,
    /// and so for that turn.
    @usableFromInline package static let nested = Kind(rawValue: 4)
    /// It is nested and waits only for jobs that run, also when the line is paused, closed or full.
    @usableFromInline package static let first = Kind(rawValue: 8)
    /// It is rejected unless it can begin at once.
    @usableFromInline package static let immediate = Kind(rawValue: 16)
    /// It was called in a turn of the same line, which does not end before it.
    @usableFromInline package static let part = Kind(rawValue: 32)
    /// A newer job may replace it; see ``Job/latest``.
    @usableFromInline package static let replaceable = Kind(rawValue: 64)
    /// It has met something when it came that is to be told; see ``Job/meets(_:)``.
    ///
    /// Here, because a kind does not change any more when others have seen the job, and so is read without the lock.
    static let meetsOthers = Kind(rawValue: 128)

    @usableFromInline
    func limited(to limit: Duration?) -> Kind {
      if let limit, limit <= .zero { union(.immediate) } else { self }
    }
  }

  /// What the line notes of a job, in one byte.
  package struct Notes: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It has its places: from its arrival until it has ended its turn or left.
    static let isPresent = Notes(rawValue: 1)
    static let hasSlot = Notes(rawValue: 2)
    /// It waits for nothing but a slot.
    static let awaitsSlot = Notes(rawValue: 4)
    /// It begins although the line is paused.
    static let beginsInPause = Notes(rawValue: 8)
    /// Callers of `drain` that hold a turn waited for one of its keys when it came.
    static let meetsDrains = Notes(rawValue: 16)
    /// Something was held back when it came that may have been in its way.
    static let meetsHeldBack = Notes(rawValue: 32)
  }

  /// The highest priority of this job and of all that wait for it; never falls.
  @exclusivity(unchecked) @usableFromInline package final var raisedTo: UInt8
  @exclusivity(unchecked) @usableFromInline package final var kind: Kind = []
  @exclusivity(unchecked) package final var notes: Notes = []
  /// How many of its places are not ready, and whether it is a draft.
  @exclusivity(unchecked) package final var pending: Int32 = 0
  /// The queue of its first key, or that of jobs that touch none; `nil` if it touches every key.
  ///
  /// This and the queues of its claims never change from its arrival on.
  @exclusivity(unchecked) @usableFromInline package final var queue: KeyQueue?
  /// Its other places.
  @exclusivity(unchecked) package final var claims: Claim?
  /// The turn that it has, where that is not the line's own; written before the job begins.
  @exclusivity(unchecked) @usableFromInline package final var turn: JobTurn?

  @usableFromInline
  package override init(_ kind: Waiter.Kind = .caller, name: String? = nil, priority: UInt8 = 0) {
    raisedTo = priority
    super.init(kind, name: name, priority: priority)
  }

  // What a line asks of a job, under its lock. A read stands for more than one caller.

  /// Its turn, as the wait graph sees it; `nil` if that is the line's own.
  @usableFromInline package var node: WaitNode? { turn }

  /// Whether it goes out of the way of others after a while, even if it never has its turn.
  package var leavesByItself: Bool { isLimited }

  /// What a newer job finds it by that may replace it.
  package var latest: LatestEntry? { nil }

  /// Whether it stands for callers that share a job.
  package var isShared: Bool { false }

  /// Hands each of these callers to the closure.
  package func forEachSharer(_ body: (Waiter) -> Void) {}

  /// Puts it back: it was granted its turn, and waits again; without the task that was found for it, if it is detached.
  package final func waitAgain() {
    state = .waiting
    guard isDetached else { return }
    handle = nil
    awaitsTask = true
  }

  /// Rejects it when it is about to begin: it was granted its turn.
  package func revoke(_ why: JobRejection) { state = .revoked(why) }

  /// Adds the callers and the task that go on, now that it was granted or rejected.
  package func resume(into effects: inout Effects) { effects.resume(self) }

  /// Notes that it has ended its turn or left; asked of reads only.
  package func losePlaces() {}

  /// Returns the task of its own that runs and is to be cancelled.
  package func cancelRunning() -> Few<Task<Void, Never>> {
    isCancelled = true
    return handle.map { .one($0) } ?? .none
  }

  /// Returns what is to be reported when it was rejected: the job, and each caller that waited for it.
  package func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, of: Waiter, place: Place)] {
    [(.rejected(why), self, place)]
  }

  /// Notes that its turn is about to begin, and that a test watches.
  package func isWatched() {}

  // What only the job of a caller has; see ``CallerJob``.

  /// Keeps it from returning while its task is being raised.
  package var pin: EscalationPin? { nil }

  package func holdCaller() -> EscalationPin? { nil }
}

extension Job {
  final var isPresent: Bool { notes.contains(.isPresent) }

  @usableFromInline final var touchesEveryKey: Bool { queue == nil }
  final var touchesNoKey: Bool { queue?.isKeyless ?? false }

  /// Notes what it meets as it comes, before others see it.
  final func meets(_ note: Notes) {
    notes.insert(note)
    kind.insert(.meetsOthers)
  }

  /// Its place behind a job that touches every key, if it has one: the first of its claims.
  final var behind: Claim? { claims.flatMap { $0.queue == nil ? $0 : nil } }

  final var touchesSeveralKeys: Bool { claims.map { $0.queue != nil || $0.sibling != nil } ?? false }

  /// Hands each of its places on keys to the closure, its own first, with its queue.
  @inline(__always)
  package final func forEachPlace(_ body: (Linked, KeyQueue) -> Void) {
    // The job holds what it touches, so none of it needs to be retained.
    guard let queue = queue.map({ Unmanaged.passUnretained($0) }) else { return }
    queue._withUnsafeGuaranteedRef { body(self, $0) }
    if claims == nil { return }
    var next = claims
    while let claim = next {
      if let queue = claim.queue { body(claim, queue) }
      next = claim.sibling
    }
  }

  /// Itself, if it is to be found a task when it has its turn.
  ///
  /// Safe because only submissions are detached.
  final var unstarted: Submission? { isDetached ? unsafeDowncast(self, to: Submission.self) : nil }

  /// Whether its cancellation is reported by the call that cancels it: a caller reports its own, and that of a read.
  final var isToldByItsCause: Bool { isSubmitted && !kind.contains(.read) }

  /// Returns how the task that has its turn is raised: a caller's own only while it has the turn, and held for that.
  package final func escalateTurn(to priority: UInt8) -> Escalation? {
    if isSubmitted { return Escalation(target: .job(self), priority: priority) }
    return holdCaller().map { Escalation(target: .caller($0), priority: priority) }
  }

  /// Keeps the task that was made for it.
  final func attach(_ task: Task<Void, Never>) -> Attachment {
    handle = task
    awaitsTask = false
    return Attachment(isCancelled: isCancelled, raisedTo: raisedTo, suspension: isWaiting ? nil : takeSuspension())
  }

  /// Starts the job, or says why it was rejected.
  package final func begin() -> Beginning {
    switch state {
    case .granted:
      state = .running
      return .run
    case .revoked(let why):
      state = .rejected(why)
      return .revoked(why)
    case .rejected(let why): return .gone(why)
    case .waiting, .running: preconditionFailure("a job begins once, and only when it was granted the turn")
    }
  }
}

extension Job: KeyNames {
  @usableFromInline package final var names: [String] {
    var names: [String] = []
    forEachPlace { if let name = $1.label { names.append(name) } }
    return names
  }
}

/// The job of a caller's own task, with what no submitted job needs: a million of those may wait at once.
///
/// Safe like ``Waiter``.
@usableFromInline
package final class CallerJob: Job, @unchecked Sendable {
  /// Its task, to be raised when it holds the turn.
  private let task: TaskReference?
  /// Its edge in the wait graph, if it holds turns while it waits, its limit and its timer, if it has them.
  @exclusivity(unchecked) private var waits = OngoingWaits()
  /// Keeps it from returning while its task is being raised.
  @exclusivity(unchecked) private var heldPin: EscalationPin?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0, task: TaskReference? = nil) {
    self.task = task
    super.init(name: name, priority: priority)
  }

  package override var pin: EscalationPin? { heldPin }

  /// Holds its task still.
  package override func holdCaller() -> EscalationPin? {
    heldPin = heldPin ?? task.map(EscalationPin.init)
    heldPin?.hold()
    return heldPin
  }

  @usableFromInline
  override func begin(_ wait: any OngoingWait) { waits.begin(wait) }

  @usableFromInline
  override func endWait() { waits.end() }
}
