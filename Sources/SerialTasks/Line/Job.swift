/// One job: a waiter with a place.
///
/// The job itself is its place among all jobs; what it has on keys, a ``Claim`` stands for.
///
/// Safe like ``Waiter``.
@usableFromInline
package class Job: Waiter, @unchecked Sendable {
  /// Whether a job reads, what it counts against, and how it stands to the turn that it is called in.
  ///
  /// It does not change any more when others have seen the job, and so is read without the lock.
  @usableFromInline
  package struct Kind: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @usableFromInline package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It shares its key with other reads.
    @usableFromInline package static let read = Kind(rawValue: 1)
    /// It needs one of the slots that a line has.
    @usableFromInline package static let slot = Kind(rawValue: 2)
    /// It was called inside a turn of the same line, and is a part of that.
    ///
    /// It waits for nothing outside that has not begun, and goes on when the line is paused, closed or full. It uses the slot of that turn.
    @usableFromInline package static let nested = Kind(rawValue: 4)
    /// It is rejected unless it can begin at once.
    @usableFromInline package static let immediate = Kind(rawValue: 8)
    /// A newer job may replace it; see ``Job/latest``.
    @usableFromInline package static let replaceable = Kind(rawValue: 16)

    @usableFromInline
    package func limited(to limit: Duration?) -> Kind {
      if let limit, limit <= .zero { union(.immediate) } else { self }
    }
  }

  /// What the line notes of a job, in one byte.
  package struct Notes: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It has its places: from its arrival until it has ended its turn or left.
    static let isPresent = Notes(rawValue: 1)
    /// It waits for nothing but a slot.
    static let awaitsSlot = Notes(rawValue: 2)
    /// It waits for a newer one that replaces it.
    package static let isDraft = Notes(rawValue: 4)
    /// It has its turn and has not begun, because it waits for what the line does not know of.
    static let isUnbegun = Notes(rawValue: 8)
    /// It had to wait for its turn.
    static let hasWaited = Notes(rawValue: 16)
  }

  /// The highest priority of this job and of all that wait for it; never falls.
  @exclusivity(unchecked) @usableFromInline package final var raisedTo: UInt8
  @exclusivity(unchecked) @usableFromInline package final var kind: Kind = []
  @exclusivity(unchecked) package final var notes: Notes = []
  /// How many of its places are not ready, and whether it is a draft.
  @exclusivity(unchecked) package final var pending: Int32 = 0
  /// The last pause that does not hold it back.
  @exclusivity(unchecked) package final var passedPause: UInt32 = 0
  /// Its places on keys; they never change from its arrival on.
  @exclusivity(unchecked) @usableFromInline package final var claims: Claim?
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

  /// Itself, or the newest job that has taken its place.
  package var newest: Job { self }

  /// What a newer job finds it by that may replace it.
  package var latest: LatestEntry? { nil }

  /// Whether it stands for callers that share a job.
  package var hasSharers: Bool { false }

  /// Hands each of these callers to the closure.
  package func forEachSharer(_ body: (Waiter) -> Void) {}

  /// Adds the callers and the task that go on, now that it was granted or rejected.
  package func resume(into effects: inout Effects) { effects.resume(self) }

  /// Notes that it has ended its turn or left; asked of reads only.
  package func losePlaces() {}

  /// Returns the task of its own that runs and is to be cancelled.
  package func cancelRunning() -> Task<Void, Never>? {
    isCancelled = true
    return handle
  }

  /// Returns what is to be reported when it was rejected: the job, and each caller that waited for it.
  package func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, of: Waiter, place: Place)] {
    [(.rejected(why), self, place)]
  }

  // What only the job of a caller has; see ``CallerJob``.

  /// Keeps it from returning while its task is being raised.
  package var pin: EscalationPin? { nil }

  package func holdCaller() -> EscalationPin? { nil }
}

extension Job {
  package final var isPresent: Bool { notes.contains(.isPresent) }
  final var isUnbegun: Bool { notes.contains(.isUnbegun) }
  @usableFromInline final var isNested: Bool { kind.contains(.nested) }

  /// Whether it waits for a newer one that replaces it.
  package final var isDraft: Bool { notes.contains(.isDraft) }

  @usableFromInline final var touchesEveryKey: Bool { !isShared }

  /// Where it stands in the order of a queue: calls made inside turns stand before all others.
  final var standing: Place { isNested ? 0 : place }

  /// Hands each of its places on keys to the closure.
  @inline(__always)
  package final func forEachClaim(_ body: (Claim) -> Void) {
    // The job holds them, so they need not be retained.
    var next = claims.map(Unmanaged.passUnretained)
    while let claim = next {
      next = claim._withUnsafeGuaranteedRef {
        body($0)
        return $0.sibling.map(Unmanaged.passUnretained)
      }
    }
  }

  /// Hands each of its places to the closure, that among all jobs first, with its queue.
  @inline(__always)
  final func forEachPlace(_ all: JobQueue, _ body: (Linked, JobQueue) -> Void) {
    body(self, all)
    forEachClaim { body($0, $0.queue) }
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
}

extension Job: KeyNames {
  @usableFromInline package final var names: [String] {
    var names: [String] = []
    forEachClaim { if let name = $0.queue.label { names.append(name) } }
    return names
  }

  /// Returns what events and deadlocks call it, whose line is called so; to be asked when no lock is held.
  func label(of line: String) -> String { line.touching(names) }
}

/// The job of a caller's own task, with what no submitted job needs: a million of those may wait at once.
///
/// Safe like ``Waiter``.
@usableFromInline
package final class CallerJob: Job, @unchecked Sendable {
  /// Its task, to be raised when it holds the turn.
  private let task: TaskReference?
  /// Its edge in the wait graph, if it holds turns while it waits, and its limit, if it has one.
  @exclusivity(unchecked) private var waits = OngoingWaits()
  /// Keeps it from returning while its task is being raised.
  @exclusivity(unchecked) private var heldPin: EscalationPin?
  @exclusivity(unchecked) private var outerTurn: DoubtfulTurn?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0, task: TaskReference? = nil) {
    self.task = task
    super.init(name: name, priority: priority)
  }

  package override var pin: EscalationPin? { heldPin }

  package override var startedIn: DoubtfulTurn? {
    get { outerTurn }
    set { outerTurn = newValue }
  }

  /// Holds its task still.
  package override func holdCaller() -> EscalationPin? {
    heldPin = heldPin ?? task.map(EscalationPin.init)
    heldPin?.hold()
    return heldPin
  }

  @usableFromInline
  override func begin(_ wait: any OngoingWait) { waits.begin(wait) }

  @usableFromInline
  package override func endWait() { waits.end() }
}
