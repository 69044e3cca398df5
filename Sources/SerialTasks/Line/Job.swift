/// A waiter with a place among all jobs, and on the keys that it touches (``TouchedQueues``).
///
/// Safe like ``Waiter``.
@usableFromInline
package class Job: Waiter, @unchecked Sendable {
  /// How a job runs; read without the lock, as it does not change once other code has seen the job.
  @usableFromInline
  package struct Kind: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @usableFromInline package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Shares its key with other reads.
    @usableFromInline package static let read = Kind(rawValue: 1)
    @usableFromInline package static let slot = Kind(rawValue: 2)
    /// Was called inside a turn of the same line, and is part of that turn.
    ///
    /// It waits only for what has begun, proceeds in a paused, closed or full line, and uses that turn's slot.
    @usableFromInline package static let nested = Kind(rawValue: 4)
    /// Is rejected unless it can begin at once.
    @usableFromInline package static let immediate = Kind(rawValue: 8)

    @usableFromInline
    package func limited(to limit: Duration?) -> Kind {
      if let limit, limit <= .zero { union(.immediate) } else { self }
    }
  }

  /// The highest priority of this job and of those that wait for it; never falls.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var raisedTo: UInt8
  @exclusivity(unchecked) @usableFromInline package internal(set) final var kind: Kind = []
  @exclusivity(unchecked) package internal(set) final var hasWaited = false
  /// How many of its places are not ready, plus one while it is on hold.
  @exclusivity(unchecked) package internal(set) final var pending: Int32 = 0
  /// The last pause that does not hold it back.
  @exclusivity(unchecked) package internal(set) final var passedPause: UInt32 = 0
  /// Does not change after its arrival.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var touched = TouchedQueues.none
  /// Its turn, if not the line's own; written before the job begins.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var turn: JobTurn?

  @usableFromInline
  package init(_ kind: Waiter.Kind = .caller, name: String? = nil, priority: UInt8 = 0) {
    raisedTo = priority
    super.init(kind, at: .new, name: name, priority: priority)
  }

  // Called by the line, under its lock. A read represents several callers.

  /// `nil` for the line's own turn.
  @usableFromInline package var node: WaitNode? { turn }

  /// The job, or the one that has its place now.
  package var newest: Job { self }

  var hasSharers: Bool { false }

  func forEachSharer(_ body: (Waiter) -> Void) {}

  /// Adds what is to be resumed after the job was granted or rejected.
  func resume(into effects: inout Effects) { effects.resume(self) }

  /// Called when the job has ended its turn, left or was refused.
  func losePlaces() { forEachKey { place, _ in place.belong(to: nil) } }

  func cancelRunning() -> Task<Void, Never>? {
    isCancelled = true
    return handle
  }

  /// Returns an event for the job, and one for each caller that waited for it.
  func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, of: Waiter, place: Place)] {
    [(.rejected(why), self, place)]
  }

  // Only a caller's job has these; see ``CallerJob``.

  package var pin: EscalationPin? { nil }

  func holdCaller() -> EscalationPin? { nil }
}

extension Job {
  /// Whether it has its places.
  package final var isPresent: Bool { stage != .new && stage != .gone }
  package final var waitsInTurn: Bool { stage == .waitsInTurn }
  @usableFromInline package final var isNested: Bool { kind.contains(.nested) }

  @usableFromInline package final var isOnHold: Bool { stage == .onHold }

  /// Takes over where an older job stands.
  final func succeed(_ older: Job) {
    (stage, kind) = (older.stage, older.kind)
    (pending, passedPause) = (older.pending, older.passedPause)
  }

  @usableFromInline final var touchesEveryKey: Bool { !isShared(onKey: false) }

  @usableFromInline final var touchesOneKey: Bool { if case .one = touched { true } else { false } }

  /// Its position in a queue: nested calls come before all others.
  final var standing: Place { isNested ? 0 : place }

  /// Passes its places, and their queues.
  @inline(__always)
  package final func forEachKey(_ body: (TwiceLinked, JobQueue) -> Void) {
    // The job retains them: no retain is needed here.
    var (place, queue, next) = (
      Unmanaged<TwiceLinked>.passUnretained(self), Unmanaged<JobQueue>?.none, Unmanaged<Claim>?.none
    )
    switch touched {
    case .none: return
    case .one(let only): queue = .passUnretained(only)
    case .several(let first): next = .passUnretained(first)
    }
    repeat {
      if let claim = next?._withUnsafeGuaranteedRef({ $0 }) {
        place = .passUnretained(claim)
        queue = .passUnretained(claim.queue)
        next = claim.sibling.map(Unmanaged.passUnretained)
      }
      place._withUnsafeGuaranteedRef { place in queue!._withUnsafeGuaranteedRef { body(place, $0) } }
    } while next != nil
  }

  /// Gives the job its places on keys, or those of the job that it replaces.
  final func take(_ touched: consuming TouchedQueues) {
    self.touched = touched
    if !touchesOneKey { forEachKey { place, _ in place.belong(to: self) } }
  }

  final func touches(_ queue: JobQueue?) -> Bool {
    var touches = false
    forEachKey { if $1 === queue { touches = true } }
    return touches
  }

  /// Begins with the place among all jobs.
  @inline(__always)
  package final func forEachPlace(_ all: JobQueue, _ body: (TwiceLinked, JobQueue) -> Void) {
    body(self, all)
    forEachKey(body)
  }

  /// Safe because only submissions are detached; a check takes 35 instructions of the 5 400 of such a job.
  final var unstarted: Submission? { isDetached ? unsafeDowncast(self, to: Submission.self) : nil }

  /// Whether the call that cancels it reports that; a caller reports its own cancellation, and that of a read.
  final var isToldByItsCause: Bool { isSubmitted && !kind.contains(.read) }

  /// A decision that was made while the task was being created takes effect now, unless the task is to be raised first.
  final func attach(_ task: Task<Void, Never>) -> (isCancelled: Bool, raisedTo: UInt8, suspension: Suspension?) {
    handle = task
    return (isCancelled, raisedTo, raisedTo > priority ? nil : endAttaching())
  }

  /// Lets the job begin, which has its task; returns the suspension of one that was decided meanwhile.
  final func endAttaching() -> Suspension? {
    awaitsTask = false
    return isWaiting ? nil : takeSuspension()
  }
}

extension Job: KeyNames {
  @usableFromInline package final var names: [String] {
    var names: [String] = []
    forEachKey { if let name = $1.label { names.append(name) } }
    return names
  }

  /// Called without a lock.
  func label(of line: String) -> String { line.touching(names) }
}

/// The job of a caller's own task, with fields that submitted jobs, of which a million may wait, do not need; safe
/// like ``Waiter``.
@usableFromInline
package final class CallerJob: Job, @unchecked Sendable {
  private let task: TaskReference?
  @exclusivity(unchecked) private var waits = OngoingWaits()
  @exclusivity(unchecked) private var heldPin: EscalationPin?
  @exclusivity(unchecked) private var outerTurn: DoubtfulTurn?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0, task: TaskReference? = nil) {
    self.task = task
    super.init(name: name, priority: priority)
  }

  package override var pin: EscalationPin? { heldPin }

  override var startedIn: DoubtfulTurn? {
    get { outerTurn }
    set { outerTurn = newValue }
  }

  override func holdCaller() -> EscalationPin? {
    heldPin = heldPin ?? task.map(EscalationPin.init)
    heldPin?.hold()
    return heldPin
  }

  @usableFromInline
  package override func begin(_ wait: any OngoingWait) { waits.begin(wait) }

  @usableFromInline
  package override func endWait() { waits.end() }
}
