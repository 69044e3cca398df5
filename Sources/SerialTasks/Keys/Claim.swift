/// The place of one job in the queue of one key, shared with others or for itself alone.
///
/// A job has a claim on each key that it touches, and one more, its ``JobClaim``, in the queue of all jobs. What a claim is of,
/// and the job's next claim, never change, so they may be read without the lock. All else is reached only under the lock of the
/// line.
///
/// Safe because of that.
@usableFromInline
package class Claim: @unchecked Sendable {
  @usableFromInline package final let queue: KeyQueue
  @usableFromInline package final let isShared: Bool
  /// The job's next claim.
  @usableFromInline package final let sibling: Claim?

  /// The job's own claim, which is itself for that one.
  ///
  /// Safe because a job's own claim is held by its waiter, and the waiter by the job's own claim while that is in its queue.
  @exclusivity(unchecked) package final unowned(unsafe) var job: JobClaim!
  /// Whether no claim before it in the queue is in its way.
  @exclusivity(unchecked) package final var isReady = false
  /// What all claims that it waits for have been raised to, at least.
  @exclusivity(unchecked) package final var floor: UInt8 = 0
  /// Whether it is among the marks of the queue; see ``KeyQueue/lastMark``.
  @exclusivity(unchecked) package final var isMarked = false

  // The neighbours in the queue, and among its marks, written by ``KeyQueue`` alone.
  @exclusivity(unchecked) package final var next: Claim?
  /// Safe because the claim before this one holds it, and leaves the queue in the same step in which this changes.
  @exclusivity(unchecked) package final unowned(unsafe) var previous: Claim?
  /// Safe because a mark is in the queue, and is taken out of the marks before it leaves the queue.
  @exclusivity(unchecked) package final unowned(unsafe) var laterMark: Claim?
  @exclusivity(unchecked) @usableFromInline package final unowned(unsafe) var earlierMark: Claim?

  /// Whether others share it, or its job touches other keys.
  package final var isEntangled: Bool { isShared || job.touchesSeveralKeys }

  /// Whether its job waits, and goes out of the way of others after a while.
  package final var leavesByItself: Bool { job.isWaiting && job.waiter.leavesByItself }

  @usableFromInline
  package init(on queue: KeyQueue, isShared: Bool, sibling: Claim?) {
    self.queue = queue
    self.isShared = isShared
    self.sibling = sibling
  }
}

/// A job's claim in the queue of all jobs, and what a line knows of the job beside its waiter.
///
/// The claim is shared unless the job touches every key. A job that touches no key has only this one, in a queue of such jobs.
///
/// Safe like ``Claim``.
@usableFromInline
package final class JobClaim: Claim, @unchecked Sendable {
  /// Which jobs count against a limit on how many run at the same time, and how a job stands to the turn that it is called in.
  @usableFromInline
  package struct Kind: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @usableFromInline package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It reads.
    @usableFromInline package static let read = Kind(rawValue: 1)
    /// It needs one of the slots that a line has.
    @usableFromInline package static let slot = Kind(rawValue: 2)
    /// It was called in a turn of the same line, and is a part of that: it does not wait for a job that waits for every key,
    /// and so for that turn.
    @usableFromInline package static let nested = Kind(rawValue: 4)
    /// It is nested and waits only for jobs that run, also when the line is paused, closed or full.
    @usableFromInline package static let first = Kind(rawValue: 8)
    /// It was called in a turn of the same line, which does not end before it.
    @usableFromInline package static let part = Kind(rawValue: 32)
    /// It is rejected unless it can begin at once.
    @usableFromInline package static let immediate = Kind(rawValue: 16)

    @usableFromInline
    func limited(to limit: Duration?) -> Kind {
      if let limit, limit <= .zero { union(.immediate) } else { self }
    }
  }

  package let kind: Kind
  /// What a newer job finds it by that may replace it.
  package let latest: LatestEntry?
  /// Its waiter, for as long as it is in the queue.
  @exclusivity(unchecked) @usableFromInline package var waiter: Waiter!
  /// Whether it touches several keys, but not every.
  let touchesSeveralKeys: Bool
  /// How many of its claims are not ready.
  @exclusivity(unchecked) package var pending = 0
  /// Whether it has a slot.
  @exclusivity(unchecked) package var hasSlot = false
  /// Whether callers of `drain` that hold a turn waited for one of its keys when it came.
  ///
  /// Written before the job is seen by others, so the line reads it without the lock.
  @exclusivity(unchecked) package var meetsDrains = false
  /// Whether there was something when it came that was held back, and may have been in its way; written like `meetsDrains`.
  @exclusivity(unchecked) package var meetsHeldBack = false
  /// Whether it begins although the line is paused.
  @exclusivity(unchecked) package var beginsInPause = false
  /// How many tasks that have a turn of the line await its end.
  @exclusivity(unchecked) package var awaiting: Int32 = 0
  /// How many jobs stood ahead of it when it came.
  @exclusivity(unchecked) var ahead: Int32 = 0
  /// When the first job came to wait behind it while it had its turn, or when it began, if that is known.
  @exclusivity(unchecked) package var firstBehind = WaitStart()

  /// Whether it is in a ``ReadyList``, which writes this alone.
  @exclusivity(unchecked) package fileprivate(set) var isListed = false

  @usableFromInline
  package init(
    in table: borrowing ClaimTable, _ waiter: Waiter, kind: Kind, touchesEveryKey: Bool, first: Claim?,
    latest: LatestEntry? = nil
  ) {
    self.kind = kind
    self.latest = latest
    self.waiter = waiter
    touchesSeveralKeys = first?.sibling != nil
    let touchesNothing = first == nil && !touchesEveryKey
    super.init(on: touchesNothing ? table.keyless : table.all, isShared: !touchesEveryKey, sibling: first)
    job = self
    latest?.job = self
    var claim = first
    while let key = claim {
      key.job = self
      claim = key.sibling
    }
  }

  /// The claim of a waiter that has joined, also when it has none in a queue any more.
  ///
  /// Safe because a line of keys is given only waiters that have one.
  package static func of(_ waiter: Waiter) -> JobClaim { unsafeDowncast(waiter.details!, to: JobClaim.self) }

  /// The claim of the job that has this turn of a line of keys.
  ///
  /// Takes the lock if the turn is the line itself.
  ///
  /// Safe because the details of such a turn are nothing else.
  package static func of(_ turn: WaitNode) -> JobClaim? {
    turn.details.map { unsafeDowncast($0, to: JobClaim.self) }
  }

  /// Whether its cancellation is reported by the call that cancels it: a caller reports its own, and that of a read.
  package var isToldByItsCause: Bool { waiter.isSubmitted && !kind.contains(.read) }

  /// Whether this claim of the job goes before all that are blocked.
  package func goesFirst(with claim: Claim) -> Bool { kind.contains(claim === self ? .nested : .first) }

  /// Whether it neither runs nor has been granted its turn or rejected.
  package var isWaiting: Bool { waiter.isWaiting }

  /// Whether it has a claim on each of these queues, which differ, and no other.
  @usableFromInline
  package func claims(only queues: [KeyQueue]) -> Bool {
    var (count, agrees) = (0, true)
    forEachClaim { claim in
      if claim === self { return }
      count += 1
      if !queues.contains(where: { $0 === claim.queue }) { agrees = false }
    }
    return agrees && count == queues.count
  }

  /// The callers of `drain` for one of its keys that hold a turn.
  package var drains: [NestedDrainer] {
    var drains: [NestedDrainer] = []
    forEachClaim { claim in
      if claim.queue.drainers.isEmpty { return }
      claim.queue.drainers.forEach { if let drainer = $0 as? NestedDrainer { drains.append(drainer) } }
    }
    return drains
  }

  /// Hands each of its claims to the closure, its own first.
  @inline(__always)
  package func forEachClaim(_ body: (Claim) -> Void) {
    body(self)
    // Each is held by the one before it, so it needs not be retained.
    var claim = sibling.map { Unmanaged.passUnretained($0) }
    while let current = claim {
      claim = current._withUnsafeGuaranteedRef { current in
        body(current)
        return current.sibling.map { Unmanaged.passUnretained($0) }
      }
    }
  }
}

extension JobClaim: KeyNames {
  @usableFromInline package var names: [String] {
    var names: [String] = []
    forEachClaim { if let name = $0.queue.label { names.append(name) } }
    return names
  }
}

/// Jobs whose claims are all ready: those that wait all the same, in the order in which they became ready, or those that have a
/// slot.
///
/// They are linked by their waiters, which are in no other list.
package struct ReadyList: ~Copyable, Sendable {
  private var waiters = WaiterList()

  package init() {}

  package var isEmpty: Bool { waiters.isEmpty }
  package var first: JobClaim? { waiters.first.map { JobClaim.of($0) } }
  package var last: JobClaim? { waiters.last.map { JobClaim.of($0) } }

  package mutating func append(_ job: JobClaim) {
    job.isListed = true
    waiters.append(job.waiter)
  }

  package mutating func prepend(_ job: JobClaim) {
    job.isListed = true
    waiters.prepend(job.waiter)
  }

  package mutating func remove(_ job: JobClaim) {
    job.isListed = false
    waiters.remove(job.waiter)
  }

  package mutating func removeFirst() -> JobClaim? {
    guard let job = first else { return nil }
    remove(job)
    return job
  }

  /// Another waiter takes the place of one that is listed.
  package mutating func replace(_ older: Waiter, by newer: Waiter) { waiters.replace(older, by: newer) }

  package func forEach(_ body: (JobClaim) -> Void) { waiters.forEach { body(JobClaim.of($0)) } }
}

extension JobClaim {
  /// The neighbours in a ``ReadyList``.
  package var nextReady: JobClaim? { waiter.next.map { JobClaim.of($0) } }
  package var previousReady: JobClaim? { waiter.previous.map { JobClaim.of($0) } }
}
