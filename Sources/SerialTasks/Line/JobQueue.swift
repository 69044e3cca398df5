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
  @exclusivity(unchecked) final private(set) var places = LinkedList<Linked>()
  /// Safe because it is in the queue.
  package final private(set) var firstBlocked: Linked? {
    get { blocked?.takeUnretainedValue() }
    set { blocked = newValue.map(Unmanaged.passUnretained) }
  }
  /// The same, to be looked at without retaining it.
  @exclusivity(unchecked) private final var blocked: Unmanaged<Linked>?
  @exclusivity(unchecked) package final var waiting = 0
  /// How many of its jobs have rejections that are still being reported.
  @exclusivity(unchecked) final var untold = 0
  /// The last exclusive place that was taken here, except by nested calls.
  @exclusivity(unchecked) final private(set) var lastAlone: Place = 0
  /// The place up to which jobs are raised when they become ready.
  @exclusivity(unchecked) final var urgency = Urgency()
  /// The lowest priority of jobs since the queue was empty, and the highest to which they were raised.
  @exclusivity(unchecked) final private(set) var lowest: UInt8 = .max
  @exclusivity(unchecked) final var highest: UInt8 = 0
  /// Whether it has had, since then, a job that may wait for more than earlier places here.
  @exclusivity(unchecked) final private(set) var isTangled = false

  /// Of its key.
  @usableFromInline final let hash: Int
  @exclusivity(unchecked) @usableFromInline final var nextInBucket: JobQueue?

  @usableFromInline package init(hash: Int = 0) { self.hash = hash }

  /// `nil` for the queue of all jobs.
  @usableFromInline package var label: String? { nil }

  @usableFromInline package var stakeKey: Stake.Key? { nil }

  @usableFromInline final var isEmpty: Bool { places.isEmpty }
  final var isUnused: Bool { places.isEmpty && untold == 0 }

  final func admits(shared isShared: Bool, nested isNested: Bool) -> Bool {
    guard let first = places.first else { return true }
    if isNested { return admitsNested(shared: isShared) }
    return isShared && blocked == nil && first.isShared
  }

  /// Lets a nested call wait only for jobs that have a turn, and for earlier nested calls.
  private final func admitsNested(shared isShared: Bool) -> Bool {
    if firstBlocked?.claimant.isNested == true { return false }
    var admits = true
    forEachReady { job in if !job.isWaiting || job.isNested { admits = false } }
    return admits || isShared && places.first!.isShared
  }
}

// MARK: - Coming and going

extension JobQueue {
  /// Appends a place; a tangled job has other places at which it may wait.
  @inline(__always)
  final func append(_ place: Linked, of job: Job, tangled: Bool) {
    place.isReady = places.last.map { place.isShared && $0.isShared && blocked == nil } ?? true
    if !place.isReady {
      job.pending += 1
      if blocked == nil { firstBlocked = place }
    }
    if !place.isShared { lastAlone = job.place }
    if tangled { isTangled = true }
    note(job.raisedTo)
    places.append(place)
  }

  /// Passes the ready jobs that now have to wait to `blocked`.
  final func push(_ place: Linked, of job: Job, blocked: (Job) -> Void) {
    isTangled = true
    note(job.raisedTo)
    let overtaken = takeOvertaken(by: place)
    let last = firstBlocked == nil ? places.last : firstBlocked!.previous
    place.isReady = last.map { place.isShared && $0.isShared && firstBlocked?.claimant.isNested != true } ?? true
    var next = firstBlocked
    while let nested = next, nested.claimant.isNested { next = nested.next }
    places.insert(place, before: next)
    if !place.isReady {
      job.pending += 1
      if firstBlocked === next { firstBlocked = place }
    }
    for (index, other) in overtaken.enumerated() {
      places.insert(other, before: next)
      if index == 0, firstBlocked === next { firstBlocked = other }
      other.isReady = false
      other.claimant.pending += 1
      blocked(other.claimant)
    }
  }

  @inline(__always)
  private final func note(_ priority: UInt8) {
    lowest = min(lowest, priority)
    highest = max(highest, priority)
  }

  private final func takeOvertaken(by place: Linked) -> [Linked] {
    var overtaken: [Linked] = []
    var next = places.first
    while let ready = next, ready.isReady {
      next = ready.next
      if ready.isShared && place.isShared || !ready.claimant.isWaiting || ready.claimant.isNested { continue }
      places.remove(ready)
      overtaken.append(ready)
    }
    return overtaken
  }

  /// Passes the places that become ready to the closure.
  @inline(__always)
  final func remove(_ place: Linked, ready: (Linked) -> Void) {
    if blocked?.toOpaque() == Unmanaged.passUnretained(place).toOpaque() { firstBlocked = place.next }
    places.remove(place)
    while let next = blocked,
      next._withUnsafeGuaranteedRef({ $0.previous == nil || $0.isShared && places.first!.isShared })
    {
      next._withUnsafeGuaranteedRef { place in
        firstBlocked = place.next
        place.isReady = true
        ready(place)
      }
    }
    if blocked != nil { return }
    if !urgency.isEmpty { urgency = Urgency() }
    if places.isEmpty { (isTangled, lowest, highest) = (false, .max, 0) }
  }

  final func replace(_ older: Linked, by newer: Linked) {
    (newer.isReady, newer.isShared) = (older.isReady, older.isShared)
    if firstBlocked === older { firstBlocked = newer }
    places.replace(older, by: newer)
  }
}

// MARK: - Looking

extension JobQueue {
  @inline(__always)
  final func forEachJob(_ body: (Job) -> Void) { places.forEach { body($0.claimant) } }

  final func forEachReady(_ body: (Job) -> Void) {
    var place = places.first
    while let ready = place, ready.isReady {
      place = ready.next
      body(ready.claimant)
    }
  }

  /// Calls the closure with the jobs that directly block the job at this place: the shared ones right before an
  /// exclusive place, or else the nearest exclusive one.
  ///
  /// With `mayJump`, with the ready jobs instead, if everything in between waits for them and nothing else.
  @inline(never)
  final func forEachInTheWay(of place: Linked, mayJump: Bool = false, _ body: (Job) -> Void) {
    if mayJump, !isTangled { return forEachReady(body) }
    var isAfterShared = false
    var cursor = place.previous
    while let ahead = cursor {
      cursor = ahead.previous
      if !ahead.isShared {
        if !isAfterShared || place.isShared { body(ahead.claimant) }
        return
      }
      isAfterShared = true
      if !place.isShared { body(ahead.claimant) }
    }
  }

  final func countAhead(of place: Linked) -> Int {
    if place.next == nil { return places.count - 1 }
    var (count, cursor) = (0, place.previous)
    while let ahead = cursor { (count, cursor) = (count + 1, ahead.previous) }
    return count
  }

  final func isLastAlone(_ place: Place) -> Bool { lastAlone <= place }

  final func hasAlone(behind place: Place) -> Bool {
    if lastAlone <= place { return false }
    var cursor = places.last
    while let behind = cursor, behind.claimant.place > place {
      if !behind.isShared { return true }
      cursor = behind.previous
    }
    return false
  }
}
