/// The jobs that touch every key, *whole* jobs, and the places of the jobs that came behind one, in their order.
///
/// ```
///   open: how many jobs        whole │ behind behind │ whole whole │ behind
///   have places on keys only   ───── │ ── a group ── │ ──────────── │ a group
/// ```
///
/// A job that touches a key has a place here only if a whole job is ahead of it: the first whole job waits until no job is *open*, and
/// when it ends, those right behind it are. So databases lock a table and its rows (intention locks, Gray 1976), but that nothing is
/// written down for a row while no one wants the table.
package struct WholeQueue: ~Copyable, Sendable {
  private(set) var places = LinkedList<Linked>()
  /// How many jobs that touch a key have no whole job ahead of them.
  package private(set) var open = 0
  /// What all of these have been raised to, at least.
  var floor: UInt8 = .max
  /// The last place that a whole job took.
  private(set) var lastPlace: Place = 0

  /// Whether no whole job waits or runs.
  package var isEmpty: Bool { places.isEmpty }

  /// The first whole job; no place is ahead of it.
  var first: Job? { places.first.map(\.claimant) }

  func isFirst(at place: Place) -> Bool { places.first.map { $0.claimant.place == place } ?? false }

  /// The last whole job.
  var last: Job? { places.last.map { $0.isJob ? $0.claimant : $0.group.whole } }

  /// Returns whether a job that touches a key and comes now has no whole job ahead: one that is nested goes before those that wait.
  func admits(_ kind: Job.Kind) -> Bool { first.map { kind.contains(.nested) && $0.isWaiting } ?? true }

  /// Returns the whole job that a job of a key would stand behind that comes now.
  func ahead(of kind: Job.Kind) -> Job? { admits(kind) ? nil : kind.contains(.nested) ? first : last }

  /// Whether a whole job that comes now would be ready at once.
  var admitsWhole: Bool { places.isEmpty && open == 0 }
}

/// The jobs that stand behind one whole job, and before the next.
///
/// Safe because all is reached only under the lock of the line.
final class Group: @unchecked Sendable {
  /// Safe because the whole job is in the queue; when it leaves, the group stands behind the one before, or is dissolved.
  @exclusivity(unchecked) fileprivate(set) unowned(unsafe) var whole: Job
  /// What all of these jobs have been raised to, at least.
  @exclusivity(unchecked) var floor: UInt8 = .max
  /// The group that it has become a part of, when the whole job between the two left.
  @exclusivity(unchecked) fileprivate var merged: Group?

  fileprivate init(behind whole: Job) { self.whole = whole }
}

extension Linked {
  /// The group of a place behind a whole job; O(1) on average, however many groups have become one.
  ///
  /// Safe because only claims stand behind whole jobs.
  var group: Group {
    let claim = unsafeDowncast(self, to: Claim.self)
    while let merged = claim.ownGroup!.merged { claim.ownGroup = merged.merged ?? merged }
    return claim.ownGroup!
  }
}

// MARK: - Coming and going

extension WholeQueue {
  /// Adds a whole job: at the end, or, if it is nested, before all that wait.
  @inline(__always)
  mutating func add(_ job: Job) {
    job.isReady = admitsWhole
    lastPlace = max(lastPlace, job.place)
    if !job.isReady { job.pending += 1 }
    guard job.kind.contains(.nested), let next = firstWaiting else { return places.append(job) }
    places.insert(job, before: next)
    if !next.isJob { next.group.whole = job }
    overtake(job)
  }

  /// Adds a job that touches a key: as one of those that are open, or behind the last whole job, or, if it is nested, before all that
  /// wait.
  mutating func addKeyed(_ job: Job) {
    if admits(job.kind) {
      if let first {
        job.raisedTo = max(job.raisedTo, first.raisedTo)
        // A pause was all that held it back.
        if first.isReady { block(first) }
      }
      return open(job)
    }
    let claim = Claim(on: nil, sibling: job.claims)
    claim.job = job
    job.claims = claim
    job.pending += 1
    let next = job.kind.contains(.nested) ? firstWaiting : nil
    let previous = next == nil ? places.last! : next!.previous!
    let group =
      next.flatMap { $0.isJob ? nil : $0.group } ?? (previous.isJob ? Group(behind: previous.claimant) : previous.group)
    claim.ownGroup = group
    places.insert(claim, before: next)
    if next != nil { overtake(claim) }
    group.floor = min(group.floor, job.raisedTo)
  }

  /// The first place whose job waits.
  private var firstWaiting: Linked? { first.flatMap { $0.isWaiting ? $0 : $0.next } }

  /// Raises the job of a place for the whole jobs that wait for it from now on, and a whole job for all that do.
  private func overtake(_ place: Linked) {
    let job = place.claimant
    var cursor = place.next
    while let behind = cursor {
      if place.isJob || behind.isJob { job.raisedTo = max(job.raisedTo, behind.claimant.raisedTo) }
      if behind.isJob { return }
      cursor = behind.next
    }
  }

  private mutating func open(_ job: Job) {
    open += 1
    floor = min(floor, job.raisedTo)
  }

  private func block(_ whole: Job) {
    whole.isReady = false
    whole.pending += 1
  }

  /// Removes a job that touches a key; returns the first whole job if that has become ready.
  mutating func removeKeyed(_ job: Job) -> Job? {
    if let behind = job.behind {
      places.remove(behind)
      return nil
    }
    open -= 1
    return unblockFirst()
  }

  /// Removes a whole job, and returns whether it was the first: then ``takeOpened()`` is to be called until it returns `nil`, and
  /// ``unblockFirst()`` once.
  mutating func remove(_ job: Job) -> Bool {
    if places.first === job {
      places.dropFirst()
      return true
    }
    if let behind = job.next, !behind.isJob {
      let (group, before) = (behind.group, job.previous!)
      if before.isJob {
        group.whole = before.claimant
      } else {
        before.group.floor = min(before.group.floor, group.floor)
        group.merged = before.group
      }
    }
    places.remove(job)
    return false
  }

  /// Takes out the next job that stood behind the whole job that has left, and has no other ahead.
  mutating func takeOpened() -> Job? {
    guard let first = places.first, !first.isJob else { return nil }
    let job = first.claimant
    places.dropFirst()
    job.claims = job.claims!.sibling
    open(job)
    job.pending -= 1
    return job
  }

  /// Makes the first whole job ready if no job is open; returns it if nothing else is in its way.
  mutating func unblockFirst() -> Job? {
    if open > 0 { return nil }
    floor = .max
    guard let first, !first.isReady else { return nil }
    first.isReady = true
    first.pending -= 1
    return first.pending == 0 ? first : nil
  }

  /// Returns the next job, if it has its turn when this one, the first, has ended, and that is all that it changes.
  @inline(__always)
  func next(after job: Job) -> Job? {
    guard open == 0, places.first === job, let next = job.next, next.isJob, next.claimant.pending == 1 else {
      return nil
    }
    return next.claimant
  }

  /// Takes out the first whole job, and makes the one after it ready.
  mutating func dropFirst(for next: Job) {
    places.dropFirst()
    next.isReady = true
    next.pending = 0
  }

  /// Notes that an open job has ended while no whole job waits.
  mutating func closeOne() { open -= 1 }

  mutating func replace(_ older: Job, by newer: Job) {
    newer.isReady = older.isReady
    if let behind = older.next, !behind.isJob { behind.group.whole = newer }
    places.replace(older, by: newer)
  }
}

// MARK: - What is in the way

extension WholeQueue {
  /// What a place waits for here.
  enum InTheWay {
    /// Nothing.
    case none
    /// A whole job.
    case whole(Job)
    /// All jobs right before it that stand behind a whole job, from the last to the first.
    case group(Group, last: Linked)
    /// All that are open.
    case open
  }

  /// Returns what a whole job waits for that stands before this place; `nil` asks for one that comes now.
  func inTheWay(ofWholeBefore place: Linked?) -> InTheWay {
    guard let before = place == nil ? places.last : place!.previous else { return open == 0 ? .none : .open }
    return before.isJob ? .whole(before.claimant) : .group(before.group, last: before)
  }

  /// Returns the whole job ahead of this one.
  func whole(before job: Job) -> Job? { job.previous.map { $0.isJob ? $0.claimant : $0.group.whole } }
}
