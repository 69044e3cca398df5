/// The places on one key, in their order: a first-in, first-out lock for readers and writers.
///
/// ```
///   first                firstBlocked
///     │                       │
///   shared shared shared │ alone  shared shared  alone
///   ─────── ready ────── │ ───────── blocked ─────────
/// ```
///
/// The places that are ready come first: either one that is alone, or shared ones next to each other. A place that is ready may
/// still belong to a job that waits, for another key. Reads share a key; any other job is alone on it.
///
/// To take all places in one step is deterministic locking, as in Calvin (Thomson 2012) and VLL (Ren 2013).
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class KeyQueue: Linked, @unchecked Sendable {
  @exclusivity(unchecked) package final private(set) var places = LinkedList<Linked>()
  /// The first that is not ready.
  ///
  /// Safe because it is in the queue.
  @exclusivity(unchecked) private final unowned(unsafe) var firstBlocked: Linked?
  /// How many jobs have places here, and how many are about to take one.
  @exclusivity(unchecked) package final var users = 0
  @exclusivity(unchecked) package final var expected = 0
  /// How many jobs of the queue wait.
  @exclusivity(unchecked) package final var waiting = 0
  /// How many jobs of it were rejected and have not been reported yet.
  @exclusivity(unchecked) package final var untold = 0
  /// Callers of `drain` for this key.
  @exclusivity(unchecked) package final var drainers = WaiterList()
  /// The last place that a job took here which does not share the key.
  @exclusivity(unchecked) private final var lastAlone: Place = 0
  /// How many of its places are shared, or of jobs that touch other keys.
  @exclusivity(unchecked) private final var entangled = 0
  /// Whether it is that of jobs that touch no key: no place of it is in the way of another.
  let isKeyless: Bool

  @usableFromInline package init(isKeyless: Bool = false) { self.isKeyless = isKeyless }

  /// What it is called; `nil` for the queue of jobs that touch no key.
  @usableFromInline package var label: String? { nil }

  /// Its key, as a test sees it that watches.
  @usableFromInline package var stakeKey: Stake.Key? { nil }

  /// Whether no job has a place here, and every rejection of one has been reported.
  package final var isIdle: Bool { users == 0 && untold == 0 }

  final func shares(_ place: Linked) -> Bool { isKeyless || place.claimant.kind.contains(.read) }

  /// Returns whether a place that is taken now would be ready at once.
  package final func admits(_ kind: Job.Kind) -> Bool {
    if isKeyless || places.isEmpty { return true }
    if entangled == 0, !kind.contains(.first) { return false }
    let first = places.first!
    // One that goes first waits only for a job that runs: that of a place that is ready may wait for another key, or for a pause.
    let (isFirst, firstIsShared) = (kind.contains(.first), shares(first))
    if isFirst, !firstIsShared { return first.claimant.isWaiting }
    return kind.contains(.read) && firstIsShared && (isFirst || firstBlocked == nil)
  }

  /// How many jobs of the queue have their turn.
  final var running: Int {
    var (count, cursor) = (0, places.first)
    while let place = cursor, place.isReady {
      if !place.claimant.isWaiting { count += 1 }
      cursor = place.next
    }
    return count
  }

  /// The job that has its turn, if all others of the queue wait for it alone, one behind the other.
  final var onlyHolder: Job? {
    guard entangled == 0, let job = places.first?.claimant, !job.isWaiting else { return nil }
    return job
  }
}

// MARK: - Coming and going

extension KeyQueue {
  /// Adds the place at the end, or before all whose jobs wait.
  ///
  /// - Returns: The job of the place that was ready and is not any more, if there was one.
  @discardableResult
  package final func add(_ place: Linked, of job: Job) -> Job? {
    if isEntangled(place, of: job) { entangled += 1 }
    if entangled == 0, !job.kind.contains(.first) {
      addAlone(place, of: job)
      return nil
    }
    if !job.kind.contains(.read) { lastAlone = max(lastAlone, job.place) }
    let isFirst = job.kind.contains(.first)
    let isReady = admits(job.kind)
    let displaced = isReady && isFirst ? places.first.flatMap { shares($0) ? nil : $0 } : nil
    if let displaced { block(displaced) }
    places.insert(place, before: isFirst ? firstBlocked : nil)
    place.isReady = isReady
    if !isReady {
      job.pending += 1
      if firstBlocked == nil || isFirst { firstBlocked = place }
    }
    if place.next != nil { overtake(place) }
    return displaced?.claimant
  }

  /// Adds the place of a job that touches no other key at the end of a queue of such jobs, each of which is alone.
  private final func addAlone(_ place: Linked, of job: Job) {
    lastAlone = max(lastAlone, job.place)
    place.isReady = places.isEmpty
    if !place.isReady {
      job.pending += 1
      if firstBlocked == nil { firstBlocked = place }
    }
    places.append(place)
  }

  /// Raises the job of a place for those that wait for it from now on.
  private final func overtake(_ place: Linked) {
    let (job, isShared) = (place.claimant, shares(place))
    var cursor = place.next
    while let behind = cursor {
      if !isShared || !shares(behind) { job.raisedTo = max(job.raisedTo, behind.claimant.raisedTo) }
      if !shares(behind) { return }
      cursor = behind.next
    }
  }

  /// Takes the place out.
  ///
  /// The jobs of which no other place is blocked any more are handed to the closure.
  package final func remove(_ place: Linked, ready: (Job) -> Void) {
    if isEntangled(place, of: place.claimant) { entangled -= 1 }
    if firstBlocked === place { firstBlocked = place.next }
    places.remove(place)
    while let blocked = firstBlocked, blocked === places.first || shares(blocked) && shares(places.first!) {
      firstBlocked = blocked.next
      unblock(blocked, ready: ready)
    }
  }

  /// Returns the next job, if it has its turn when this one has ended, and that is all that it changes.
  @inline(__always)
  final func next(after job: Job) -> Job? {
    guard entangled == 0, places.first === job, let next = firstBlocked?.claimant, next.pending == 1 else { return nil }
    return next
  }

  /// Takes out the first place, and makes that of the job ready, which is the one after it.
  final func dropFirst(for next: Job) {
    places.dropFirst()
    firstBlocked = next.next
    next.isReady = true
    next.pending = 0
  }

  /// Returns whether no job has come since that place was taken, but for such that share the key.
  final func isLastAlone(_ place: Place) -> Bool { isKeyless || lastAlone <= place }

  /// Puts a newer place where an older one is.
  final func replace(_ older: Linked, by newer: Linked) {
    newer.isReady = older.isReady
    if firstBlocked === older { firstBlocked = newer }
    places.replace(older, by: newer)
  }

  /// Puts the place, which is alone and whose job waits again, behind those right after it that go first.
  ///
  /// The jobs of which no other place is blocked any more are handed to the closure.
  package final func giveWay(_ place: Linked, ready: (Job) -> Void) {
    guard place.isReady, let next = place.next, goesFirst(next) else { return }
    places.remove(place)
    var cursor: Linked? = next
    while let other = cursor, goesFirst(other) {
      unblock(other, ready: ready)
      cursor = other.next
    }
    places.insert(place, before: cursor)
    block(place)
  }

  private final func unblock(_ place: Linked, ready: (Job) -> Void) {
    place.isReady = true
    let job = place.claimant
    job.pending -= 1
    if job.pending == 0 { ready(job) }
  }

  /// Blocks the place, which was ready and is alone.
  private final func block(_ place: Linked) {
    place.isReady = false
    place.claimant.pending += 1
    firstBlocked = place
  }

  private final func goesFirst(_ place: Linked) -> Bool { shares(place) && place.claimant.kind.contains(.first) }

  private final func isEntangled(_ place: Linked, of job: Job) -> Bool {
    isKeyless || job.kind.contains(.read) || job.touchesSeveralKeys
  }
}

// MARK: - What is in the way

extension KeyQueue {
  /// Hands over the places that a place waits for, without those that these wait for themselves: the shared places right before one
  /// that is alone, or else the nearest one that is alone.
  ///
  /// - Parameters:
  ///   - place: A place that is not ready; `nil` asks for one that is taken now.
  ///   - kind: What its job is.
  ///   - isLasting: Whether to pass over those that leave by themselves.
  ///   - body: Is given each.
  package final func forEachInTheWay(
    of place: Linked?, _ kind: Job.Kind, lasting isLasting: Bool = false, _ body: (Linked) -> Void
  ) {
    let isShared = kind.contains(.read)
    var isAfterShared = false
    var cursor =
      place.map(\.previous) ?? (kind.contains(.first) ? firstBlocked.map(\.previous) ?? places.last : places.last)
    while let ahead = cursor {
      cursor = ahead.previous
      if isLasting, ahead.claimant.isWaiting, ahead.claimant.leavesByItself { continue }
      if !shares(ahead) {
        if !isAfterShared || isShared { body(ahead) }
        return
      }
      isAfterShared = true
      if !isShared { body(ahead) }
    }
  }
}
