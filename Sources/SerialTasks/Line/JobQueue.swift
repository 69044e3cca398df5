/// The places on one key, or those of all jobs, in their order: a first-in, first-out lock for those that share it and those that do not.
///
/// ```
///   first                firstBlocked
///     │                       │
///   shared shared shared │ alone  shared shared  alone
///   ─────── ready ────── │ ───────── blocked ─────────
/// ```
///
/// The places that are ready come first: either one that is alone, or shared ones. A job runs when all of its places are ready, and
/// nothing holds it back. A place that is ready may still belong to a job that waits.
///
/// Calls made inside a turn of the line (*nested*) go before all jobs that have no turn, in the order in which they came.
///
/// To take all places in one step is deterministic locking, as in Calvin (Thomson 2012) and VLL (Ren 2013); that every job of a key is
/// also noted, shared, where jobs of every key wait is an intention lock (Gray 1976).
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class JobQueue: @unchecked Sendable {
  @exclusivity(unchecked) package final private(set) var places = LinkedList<Linked>()
  /// The first that is not ready.
  ///
  /// Safe because it is in the queue.
  package final private(set) var firstBlocked: Linked? {
    get { blocked?.takeUnretainedValue() }
    set { blocked = newValue.map(Unmanaged.passUnretained) }
  }
  /// The same, to be looked at without retaining it.
  @exclusivity(unchecked) private final var blocked: Unmanaged<Linked>?
  /// How many of its jobs have no turn.
  @exclusivity(unchecked) package final var waiting = 0
  /// How many of its jobs were rejected, and are still being told so.
  @exclusivity(unchecked) final var untold = 0
  /// The last place that was taken here alone, calls made inside turns aside.
  @exclusivity(unchecked) final private(set) var lastAlone: Place = 0
  /// Up to where jobs are raised when they come to be ready.
  @exclusivity(unchecked) final var urgency = Urgency()
  /// The lowest priority with which a job has come since the queue was empty, and the highest that one has had.
  @exclusivity(unchecked) final private(set) var lowest: UInt8 = .max
  @exclusivity(unchecked) final var highest: UInt8 = 0
  /// Whether a job has been in it since then that may wait for more than what is before it here.
  @exclusivity(unchecked) final private(set) var isTangled = false

  @usableFromInline package init() {}

  /// What its key is called; `nil` for the queue of all jobs.
  @usableFromInline package var label: String? { nil }

  /// Its key, as a test sees it that watches.
  @usableFromInline package var stakeKey: Stake.Key? { nil }

  @usableFromInline final var isEmpty: Bool { places.isEmpty }
  final var isUnused: Bool { places.isEmpty && untold == 0 }

  /// Returns whether a place that is taken now would be ready at once.
  final func admits(shared isShared: Bool, nested isNested: Bool) -> Bool {
    guard let first = places.first else { return true }
    if isNested { return admitsNested(shared: isShared) }
    return isShared && blocked == nil && first.isShared
  }

  /// A nested call waits for jobs that have a turn, and for nested calls that came before it.
  private final func admitsNested(shared isShared: Bool) -> Bool {
    if firstBlocked?.claimant.isNested == true { return false }
    var admits = true
    forEachReady { job in if !job.isWaiting || job.isNested { admits = false } }
    return admits || isShared && places.first!.isShared
  }
}

// MARK: - Coming and going

extension JobQueue {
  /// Adds the place of a job at the end; a tangled one has other places at which it may wait.
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

  /// Adds the place of a call made inside a turn, before all jobs that have no turn.
  ///
  /// Jobs that were ready until now, and have to wait for it, are handed to the closure.
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

  /// Takes out what is ready, has no turn, and cannot share with the place.
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

  /// Takes the place out.
  ///
  /// The places that are ready now, and have not been before, are handed to the closure.
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

  /// Puts a newer place where an older one is.
  final func replace(_ older: Linked, by newer: Linked) {
    (newer.isReady, newer.isShared) = (older.isReady, older.isShared)
    if firstBlocked === older { firstBlocked = newer }
    places.replace(older, by: newer)
  }
}

// MARK: - Looking

extension JobQueue {
  /// Hands each job that has a place here to the closure, in order.
  @inline(__always)
  final func forEachJob(_ body: (Job) -> Void) { places.forEach { body($0.claimant) } }

  /// Hands over the jobs whose places are ready.
  final func forEachReady(_ body: (Job) -> Void) {
    var place = places.first
    while let ready = place, ready.isReady {
      place = ready.next
      body(ready.claimant)
    }
  }

  /// Hands over the jobs that the one at this place, which is blocked, waits for, without those that these wait for themselves: the
  /// shared ones right before one that is alone, or else the nearest one that is alone.
  ///
  /// - Parameters:
  ///   - place: The blocked one.
  ///   - mayJump: Whether to hand over those that are ready instead, if all between wait for these and for nothing else.
  ///   - body: Is given each.
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

  /// Returns how many stand before a place that is blocked.
  final func countAhead(of place: Linked) -> Int {
    if place.next == nil { return places.count - 1 }
    var (count, cursor) = (0, place.previous)
    while let ahead = cursor { (count, cursor) = (count + 1, ahead.previous) }
    return count
  }

  /// Returns whether no job has come since the one at that place that was alone.
  final func isLastAlone(_ place: Place) -> Bool { lastAlone <= place }

  /// Returns whether one that is alone stands behind that place.
  package final func hasAlone(behind place: Place) -> Bool {
    if lastAlone <= place { return false }
    var cursor = places.last
    while let behind = cursor, behind.claimant.place > place {
      if !behind.isShared { return true }
      cursor = behind.previous
    }
    return false
  }
}
