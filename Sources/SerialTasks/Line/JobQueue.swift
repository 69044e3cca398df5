/// The places on one key, or of all jobs: a first-in, first-out lock.
///
/// ```
///   first                firstBlocked
///     │                       │
///   shared shared shared │ alone  shared shared  alone
///   ─────── ready ────── │ ───────── blocked ─────────
/// ```
///
/// Ready places come first: one exclusive place, or shared ones. Their jobs may still wait. Calls made inside a turn of
/// the line (*nested*) come before all jobs without a turn, in order of arrival.
///
/// Taking all places in one step is deterministic locking (Calvin 2012, VLL 2013); the shared place of a job with keys
/// among all jobs is an intention lock (Gray 1976).
///
/// Safe because the line's lock protects every mutable property.
@usableFromInline
package class JobQueue: @unchecked Sendable {
  // Ordered to take the least memory.

  @exclusivity(unchecked) package final private(set) var places: LinkedList<TwiceLinked>
  /// The lowest priority of jobs since the queue was empty, and the highest to which they were raised.
  @exclusivity(unchecked) final private(set) var lowest: UInt8 = .max
  @exclusivity(unchecked) final var highest: UInt8 = 0
  /// Whether it has had, since then, a job that may wait for more than earlier places here.
  @exclusivity(unchecked) final private(set) var isTangled = false
  @exclusivity(unchecked) package internal(set) final var waiting: Int32 = 0
  /// How many of its jobs have rejections that are still being reported.
  @exclusivity(unchecked) final var untold: Int32 = 0
  /// The low bits of the hash of its key.
  final let hash: UInt32
  /// Safe because it is in the queue.
  package final private(set) var firstBlocked: TwiceLinked? {
    get { blocked?.takeUnretainedValue() }
    set { blocked = newValue.map(Unmanaged.passUnretained) }
  }
  /// The same, to be looked at without retaining it.
  @exclusivity(unchecked) private final var blocked: Unmanaged<TwiceLinked>?
  /// The last exclusive place that was taken here, except by nested calls.
  @exclusivity(unchecked) final private(set) var lastAlone: Place = 0
  /// The place up to which jobs are raised when they become ready.
  @exclusivity(unchecked) final var urgency = Urgency()
  @exclusivity(unchecked) @usableFromInline final var nextInBucket: JobQueue?

  /// Makes the queue of all jobs, or the one of a key.
  @usableFromInline
  package init(hashOfKey hash: Int? = nil) {
    self.hash = UInt32(truncatingIfNeeded: hash ?? 0)
    places = LinkedList(bySecondLinks: hash != nil)
  }

  /// `nil` for the queue of all jobs.
  @usableFromInline package var label: String? { nil }

  @usableFromInline package var stakeKey: Stake.Key? { nil }

  @usableFromInline final var isEmpty: Bool { places.isEmpty }
  final var isUnused: Bool { places.isEmpty && untold == 0 }

  /// A job is its own place by its first links among all jobs, and by its second ones on its only key.
  @inline(__always)
  private final var isOfKey: Bool { places.isBySecondLinks }

  package final func isShared(_ place: TwiceLinked) -> Bool { place.isShared(onKey: isOfKey) }

  final func isReady(_ place: TwiceLinked) -> Bool { place.isReady(onKey: isOfKey) }

  @inline(__always)
  private final func setReady(_ place: TwiceLinked, _ isReady: Bool) { place.setReady(onKey: isOfKey, isReady) }

  final func admits(shared shares: Bool, nested isNested: Bool) -> Bool {
    guard let first = places.first else { return true }
    if isNested { return admitsNested(shared: shares) }
    return shares && blocked == nil && isShared(first)
  }

  /// Lets a nested call wait only for jobs that have a turn, and for earlier nested calls.
  private final func admitsNested(shared shares: Bool) -> Bool {
    if firstBlocked?.claimant.isNested == true { return false }
    var admits = true
    forEachReady { job in if !job.isWaiting || job.isNested { admits = false } }
    return admits || shares && isShared(places.first!)
  }
}

// MARK: - Coming and going

extension JobQueue {
  /// Appends a place; a tangled job has other places at which it may wait.
  @inline(__always)
  final func append(_ place: TwiceLinked, of job: Job, tangled: Bool) {
    let isAlone = !isShared(place)
    let isReady = places.unretainedLast.map { last in
      !isAlone && blocked == nil && last._withUnsafeGuaranteedRef { isShared($0) }
    }
    if isReady ?? true {
      setReady(place, true)
    } else {
      job.pending += 1
      if blocked == nil { firstBlocked = place }
    }
    if isAlone { lastAlone = job.place }
    if tangled { isTangled = true }
    note(job.raisedTo)
    places.append(place)
  }

  /// Passes the ready jobs that now have to wait to `blocked`.
  final func push(_ place: TwiceLinked, of job: Job, blocked: (Job) -> Void) {
    isTangled = true
    note(job.raisedTo)
    let overtaken = takeOvertaken(by: place)
    let last = firstBlocked == nil ? places.last : places.before(firstBlocked!)
    setReady(place, last.map { isShared(place) && isShared($0) && firstBlocked?.claimant.isNested != true } ?? true)
    var next = firstBlocked
    while let nested = next, nested.claimant.isNested { next = places.after(nested) }
    places.insert(place, before: next)
    if !isReady(place) {
      job.pending += 1
      if firstBlocked === next { firstBlocked = place }
    }
    for (index, other) in overtaken.enumerated() {
      places.insert(other, before: next)
      if index == 0, firstBlocked === next { firstBlocked = other }
      setReady(other, false)
      other.claimant.pending += 1
      blocked(other.claimant)
    }
  }

  @inline(__always)
  private final func note(_ priority: UInt8) {
    lowest = min(lowest, priority)
    highest = max(highest, priority)
  }

  private final func takeOvertaken(by place: TwiceLinked) -> [TwiceLinked] {
    var overtaken: [TwiceLinked] = []
    var next = places.first
    while let ready = next, isReady(ready) {
      next = places.after(ready)
      if isShared(ready) && isShared(place) || !ready.claimant.isWaiting || ready.claimant.isNested { continue }
      places.remove(ready)
      overtaken.append(ready)
    }
    return overtaken
  }

  /// Passes the jobs whose places become ready to the closure.
  @inline(__always)
  final func remove(_ place: TwiceLinked, ready: (Job) -> Void) {
    if blocked?.toOpaque() == Unmanaged.passUnretained(place).toOpaque() { blocked = places.unretained(after: place) }
    places.remove(place)
    while let next = blocked,
      next._withUnsafeGuaranteedRef({ places.isFirst($0) || isShared($0) && isShared(places.first!) })
    {
      next._withUnsafeGuaranteedRef { place in
        blocked = places.unretained(after: place)
        setReady(place, true)
        place.unretainedClaimant._withUnsafeGuaranteedRef(ready)
      }
    }
    if blocked != nil { return }
    if !urgency.isEmpty { urgency = Urgency() }
    if places.isEmpty { (isTangled, lowest, highest) = (false, .max, 0) }
  }

  final func replace(_ older: TwiceLinked, by newer: TwiceLinked) {
    setReady(newer, isReady(older))
    if firstBlocked === older { firstBlocked = newer }
    places.replace(older, by: newer)
  }
}

// MARK: - Looking

extension JobQueue {
  @inline(__always)
  final func forEachJob(_ body: (Job) -> Void) { places.forEach { body($0.claimant) } }

  final func forEachReady(_ body: (Job) -> Void) {
    // Among all jobs they are retained while they have places, with their claims; `body` removes none.
    var next = places.first.map(Unmanaged.passUnretained)
    while let place = next, place._withUnsafeGuaranteedRef({ isReady($0) }) {
      place._withUnsafeGuaranteedRef {
        next = places.unretained(after: $0)
        $0.unretainedClaimant._withUnsafeGuaranteedRef(body)
      }
    }
  }

  /// Returns the jobs that directly block the job at this place: the shared ones right before an exclusive place, or else
  /// the nearest exclusive one.
  ///
  /// With `mayJump`, the ready jobs instead, if everything in between waits for them and nothing else. An array, because a
  /// closure would be compiled with each of its callers.
  @inline(never)
  final func inTheWay(of place: TwiceLinked, mayJump: Bool) -> [Job] {
    var (jobs, isAfterShared): ([Job], Bool) = ([], false)
    if mayJump, !isTangled {
      forEachReady { jobs.append($0) }
      return jobs
    }
    var cursor = places.before(place)
    while let ahead = cursor {
      let isAlone = !isShared(ahead)
      if isAlone ? !isAfterShared || isShared(place) : !isShared(place) { jobs.append(ahead.claimant) }
      if isAlone { break }
      isAfterShared = true
      cursor = places.before(ahead)
    }
    return jobs
  }

  final func countAhead(of place: TwiceLinked) -> Int {
    if places.after(place) == nil { return places.count - 1 }
    var (count, cursor) = (0, places.before(place))
    while let ahead = cursor { (count, cursor) = (count + 1, places.before(ahead)) }
    return count
  }

  package final func isLastAlone(_ place: Place) -> Bool { lastAlone <= place }

  package final func hasAlone(behind place: Place) -> Bool {
    if lastAlone <= place { return false }
    var cursor = places.last
    while let behind = cursor, behind.claimant.place > place {
      if !isShared(behind) { return true }
      cursor = places.before(behind)
    }
    return false
  }
}
