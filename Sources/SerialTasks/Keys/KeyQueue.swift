/// The claims on one key, in the order of their places: a first-in, first-out lock for readers and writers.
///
/// ```
///   first                firstBlocked
///     │                       │
///   shared shared shared │ alone  shared shared  alone
///   ─────── ready ────── │ ───────── blocked ─────────
/// ```
///
/// The claims that are ready come first: either one that is alone, or shared ones next to each other. A claim that is ready may
/// still belong to a job that waits, for another key.
///
/// The queue of all jobs is such a queue too. A job that touches every key is alone in it, and all others share it. That is how
/// databases lock a table and its rows (intention locks, Gray 1976); to take all claims in one step is deterministic locking,
/// as in Calvin (Thomson 2012) and VLL (Ren 2013).
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class KeyQueue: @unchecked Sendable {
  @exclusivity(unchecked) package final private(set) var first: Claim?
  /// Safe because the last claim is held by the one before it, or by `first`.
  @exclusivity(unchecked) package final private(set) unowned(unsafe) var last: Claim?
  /// The first that is not ready.
  ///
  /// Safe because it is in the queue.
  @exclusivity(unchecked) package final private(set) unowned(unsafe) var firstBlocked: Claim?
  /// The last of the marks: the claims that are alone, and those of reads that can be joined, in the order of their places.
  ///
  /// So a read that arrives finds one to join, and whether another job stands between, without a look at all reads.
  ///
  /// Safe because it is in the queue.
  @exclusivity(unchecked) @usableFromInline package final private(set) unowned(unsafe) var lastMark: Claim?
  /// How many jobs of the queue wait.
  @exclusivity(unchecked) package final var waiting = 0
  /// How many jobs of it were rejected and have not been reported yet.
  @exclusivity(unchecked) package final var untold = 0
  /// Callers of `drain` for this key.
  @exclusivity(unchecked) package final var drainers = WaiterList()
  /// How many of its claims are shared, or of jobs that touch other keys.
  @exclusivity(unchecked) private final var entangled = 0
  /// What all claims have been raised to, at least, that one that is alone and comes now would wait for.
  @exclusivity(unchecked) private final var floor: UInt8 = .max

  @usableFromInline package init() {}

  /// What it is called; `nil` for the queue of all jobs.
  @usableFromInline package var label: String? { nil }

  /// Its key, as a test sees it that watches; `nil` for the queue of all jobs.
  @usableFromInline package var stakeKey: Stake.Key? { nil }

  /// It has no claim any more: takes itself out of the table of keys, and is released after the unlock.
  @usableFromInline package func forget() {}

  @usableFromInline package final var isEmpty: Bool { first == nil }

  /// Whether no job has a claim on it, and every rejection of one has been reported.
  package final var isUnused: Bool { first == nil && untold == 0 }

  /// Hands over all claims, in order.
  package final func forEach(_ body: (Claim) -> Void) {
    var cursor = first
    while let claim = cursor {
      cursor = claim.next
      body(claim)
    }
  }

  /// The queue that a caller of `drain` waits for.
  ///
  /// Safe because it is a caller of `drain`, which has been given its queue.
  package static func drained(by waiter: Waiter) -> KeyQueue { unsafeDowncast(waiter.details!, to: KeyQueue.self) }

  /// Whether a claim that comes now would be ready at once.
  package final func admits(shared isShared: Bool, first isFirst: Bool) -> Bool {
    guard let first else { return true }
    // One that goes first waits only for a job that runs: that of a claim that is ready may wait for another key, or for a pause.
    if isFirst, !first.isShared { return first.job.isWaiting }
    return isShared && first.isShared && (isFirst || firstBlocked == nil)
  }
}

// MARK: - Coming and going

extension KeyQueue {
  /// Adds the claim at the end, or before all whose jobs wait.
  ///
  /// - Returns: The job of the claim that was ready and is not any more, if there was one.
  @discardableResult
  package final func add(_ claim: Claim, first isFirst: Bool) -> JobClaim? {
    let isReady = admits(shared: claim.isShared, first: isFirst)
    let displaced = isReady && isFirst && first?.isShared == false ? first : nil
    if let displaced { block(displaced) }
    insert(claim, before: isFirst ? firstBlocked : nil)
    if claim.isEntangled { entangled += 1 }
    claim.isReady = isReady
    if !isReady {
      claim.job.pending += 1
      if firstBlocked == nil || isFirst { firstBlocked = claim }
    }
    if !claim.isShared { mark(claim) }
    if claim.next != nil { overtake(claim) } else { noteFloor(of: claim) }
    return displaced?.job
  }

  /// Notes what a claim at the end finds raised, and what one finds that comes behind it.
  private final func noteFloor(of claim: Claim) {
    let priority = claim.job.waiter!.raisedTo
    if claim.isShared {
      floor = claim.previous?.isShared == true ? min(floor, priority) : priority
    } else {
      (claim.floor, floor) = (floor, priority)
    }
  }

  /// Raises the claim for those that wait for it from now on, and notes in these how high it is.
  private final func overtake(_ claim: Claim) {
    let waiter = claim.job.waiter!
    forEachThatWaits(for: claim) { waiter.raisedTo = max(waiter.raisedTo, $0.job.waiter.raisedTo) }
    let isLast = forEachThatWaits(for: claim) { $0.floor = min($0.floor, waiter.raisedTo) }
    if claim.isShared, isLast { floor = min(floor, waiter.raisedTo) }
  }

  /// Hands over the claims that wait for the claim, without those that wait for these: the shared ones right behind one that is
  /// alone, and the next one that is alone; returns whether there is none of those.
  @discardableResult
  private final func forEachThatWaits(for claim: Claim, _ body: (Claim) -> Void) -> Bool {
    var cursor = claim.next
    while let behind = cursor, behind.isShared {
      if !claim.isShared { body(behind) }
      cursor = behind.next
    }
    guard let alone = cursor else { return true }
    body(alone)
    return false
  }

  /// Takes the claim out.
  ///
  /// The jobs of which no other claim is blocked any more are handed to the closure.
  package final func remove(_ claim: Claim, ready: (JobClaim) -> Void) {
    if !claim.isShared {
      var later = claim.laterMark
      while let mark = later, mark.isShared { later = mark.laterMark }
      if let later { later.floor = min(later.floor, claim.floor) } else { floor = min(floor, claim.floor) }
    }
    unmark(claim)
    if claim.isEntangled { entangled -= 1 }
    if firstBlocked === claim { firstBlocked = claim.next }
    let (next, previous) = (claim.next.take(), claim.previous)
    claim.previous = nil
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
    while let blocked = firstBlocked, blocked === first || blocked.isShared && first!.isShared {
      firstBlocked = blocked.next
      blocked.isReady = true
      blocked.job.pending -= 1
      if blocked.job.pending == 0 { ready(blocked.job) }
    }
  }

  /// The claim, which is alone and whose job waits again, goes behind those right after it that go first.
  ///
  /// The jobs of which no other claim is blocked any more are handed to the closure.
  package final func giveWay(_ claim: Claim, ready: (JobClaim) -> Void) {
    guard claim.isReady, let next = claim.next, goesFirst(next) else { return }
    first = next
    next.previous = nil
    claim.next = nil
    var cursor: Claim? = next
    while let other = cursor, goesFirst(other) {
      other.isReady = true
      other.job.pending -= 1
      if other.job.pending == 0 { ready(other.job) }
      cursor = other.next
    }
    insert(claim, before: cursor)
    block(claim)
  }

  /// Blocks the claim, which was ready and is alone: others go before it, and have not been raised for it.
  private final func block(_ claim: Claim) {
    claim.isReady = false
    claim.job.pending += 1
    claim.floor = 0
    firstBlocked = claim
  }

  private final func goesFirst(_ claim: Claim) -> Bool { claim.isShared && claim.job.goesFirst(with: claim) }

  private final func insert(_ claim: Claim, before next: Claim?) {
    let previous = next == nil ? last : next!.previous
    claim.next = next
    claim.previous = previous
    if let next { next.previous = claim } else { last = claim }
    if let previous { previous.next = claim } else { first = claim }
  }

  /// The claim that comes after all marks becomes one.
  package final func mark(_ claim: Claim) {
    claim.isMarked = true
    claim.earlierMark = lastMark
    lastMark?.laterMark = claim
    lastMark = claim
  }

  package final func unmark(_ claim: Claim) {
    guard claim.isMarked else { return }
    claim.isMarked = false
    if let later = claim.laterMark { later.earlierMark = claim.earlierMark } else { lastMark = claim.earlierMark }
    claim.earlierMark?.laterMark = claim.laterMark
    claim.laterMark = nil
    claim.earlierMark = nil
  }
}

// MARK: - What is in the way

extension KeyQueue {
  /// The job that has its turn, if all others of the queue wait for it alone, one behind the other.
  package final var onlyHolder: JobClaim? {
    guard entangled == 0, let job = first?.job, !job.isWaiting else { return nil }
    return job
  }

  /// Hands over the claims that the claim waits for and that have not been raised so high, and notes that they are.
  ///
  /// Each claim is met once for each distinct priority: a shared claim knows what the claims before it have raised.
  package final func raise(aheadOf claim: Claim, to priority: UInt8, _ body: (Claim) -> Void) {
    if claim.isReady || claim.floor >= priority { return }
    claim.floor = priority
    if !claim.isShared { return forEachInTheWay(of: claim, shared: false, first: false, body) }
    var cursor = claim.previous
    while let ahead = cursor, !(ahead.isShared && ahead.floor >= priority) {
      if !ahead.isShared { return body(ahead) }
      ahead.floor = priority
      cursor = ahead.previous
    }
  }

  /// Hands over the claims that the claim waits for, without those that these wait for themselves: the shared claims right
  /// before one that is alone, or else the nearest one that is alone.
  ///
  /// - Parameters:
  ///   - claim: A claim that is not ready; `nil` asks for one that comes now, at the end or before all that are not ready.
  ///   - isShared: Whether it is shared.
  ///   - isFirst: Whether it goes before all that are not ready.
  ///   - isLasting: Whether to pass over those that leave by themselves.
  ///   - body: Is given each.
  package final func forEachInTheWay(
    of claim: Claim?, shared isShared: Bool, first isFirst: Bool, lasting isLasting: Bool = false,
    _ body: (Claim) -> Void
  ) {
    var cursor = claim.map(\.previous) ?? (isFirst ? firstBlocked.map(\.previous) ?? last : last)
    if isShared, claim?.next == nil, !isFirst {
      // At the end: the last that is alone is among the marks.
      var mark = lastMark
      while let earlier = mark, earlier.isShared { mark = earlier.earlierMark }
      guard let alone = mark else { return }
      if !isLasting || !alone.leavesByItself { return body(alone) }
    }
    var isAfterShared = false
    while let ahead = cursor {
      if isLasting, ahead.leavesByItself {
        cursor = ahead.previous
        continue
      }
      if !ahead.isShared {
        if !isAfterShared || isShared { body(ahead) }
        return
      }
      isAfterShared = true
      if !isShared { body(ahead) }
      cursor = ahead.previous
    }
  }
}
