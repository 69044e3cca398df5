/// Jobs that are next to each other in a line and may run at the same time: one place in it, and one turn, for all of them.
///
/// ```
///   line:   job │ batch: seat seat seat │ job │ batch: seat
/// ```
///
/// Each job of it has a seat:
///
/// ```
///              its turn comes, or there is room             finish
///   waiting ───────────────────────────────────► running ───────────► (no seat any more)
///    │    ▲                                       │
///    │    └───────────────────────────────────────┘ the line is paused before the job has begun
///    │ leave, withdraw
///    └───────────► (no seat any more)
/// ```
///
/// A batch takes in jobs for as long as it is the last in its line, also while it has the turn, and it keeps the turn until it
/// has no seat any more. Two batches that come to stand next to each other, because what stood between them has left, become
/// one: the one that has had fewer jobs becomes a part of the other, wherever that stands, and no seat is moved. So the way from
/// a seat to its batch is short, and leaving a line moves none of the jobs that stay.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package final class Batch: Waiter, @unchecked Sendable {
  /// Most jobs that run at the same time.
  package let limit: Int?
  /// What all of its jobs have been raised to, for those who wait for all of them; `raisedTo` counts each of its own as well.
  @exclusivity(unchecked) @usableFromInline package var floor: UInt8 = 0
  /// What it has become a part of: a batch that has had as many jobs at least.
  @exclusivity(unchecked) private var whole: Batch?
  /// How many jobs have had a seat here, or in what has become a part of it.
  @exclusivity(unchecked) private var jobs = 0
  @exclusivity(unchecked) package private(set) var waiting = WaiterList()
  @exclusivity(unchecked) package private(set) var running = WaiterList()
  /// Seats that were granted or rejected and have not been released yet.
  @exclusivity(unchecked) private var decided: [Seat] = []
  /// Seats that were rejected together with the batch, whose jobs are to be told of it.
  private var rejected: [Seat] = []

  @usableFromInline
  package init(limit: Int? = nil, priority: UInt8 = 0) {
    self.limit = limit
    super.init(isSubmitted: true, priority: priority)
  }

  /// Whether all of its jobs have ended.
  package var isEmpty: Bool { waiting.isEmpty && running.isEmpty }

  /// Whether some of its jobs wait for others of it, or will.
  package var isCrowded: Bool { waiting.count + running.count > limit ?? .max }

  package var hasRoom: Bool { waiting.isEmpty && running.count < limit ?? .max }

  /// The batch that this one is a part of now, or itself; O(log jobs).
  fileprivate var root: Batch {
    var batch = self
    while let whole = batch.whole { batch = whole }
    return batch
  }

  // MARK: What a line asks of it as of any waiter

  package override var batch: Batch? { self }

  package override func reject(_ why: JobRejection) {
    super.reject(why)
    while let seat = waiting.removeFirst() { reject(Seat.cast(seat), why) }
  }

  package override func letGo(into wake: inout Wake) {
    for seat in decided { seat.letGo(into: &wake) }
    decided = []
  }

  package override func raise(to priority: UInt8) -> [Task<Void, Never>] {
    if whole != nil { return root.raise(to: priority) }
    var tasks: [Task<Void, Never>] = []
    running.forEach { tasks += $0.raise(to: priority) }
    waiting.forEach { tasks += $0.raise(to: priority) }
    return tasks
  }

  package override func cancelRunning() -> [Task<Void, Never>] {
    isCancelled = true
    var tasks: [Task<Void, Never>] = []
    running.forEach { tasks += $0.cancelRunning() }
    return tasks
  }

  package override func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, name: String?, place: Place)] {
    rejected.flatMap { $0.endings(why) }
  }
}

// MARK: - Deadlocks

extension Batch {
  /// Those of its jobs that run.
  package var nodes: [WaitNode] {
    var nodes: [WaitNode] = []
    running.forEach { if let node = Seat.cast($0).node { nodes.append(node) } }
    return nodes
  }
}

// MARK: - Events

extension Batch {
  package func take(_ seat: Seat) {
    seat.home = self
    jobs += 1
    waiting.append(seat)
  }

  /// Begins as many jobs as there is room for; returns whether there were any.
  package func fill() -> Bool {
    var hasBegun = false
    while running.count < limit ?? .max, let seat = waiting.removeFirst() {
      seat.state = .granted
      running.append(seat)
      decided.append(Seat.cast(seat))
      hasBegun = true
    }
    return hasBegun
  }

  /// Jobs that have not begun go back to where they waited.
  package func putBack() {
    var granted: [Waiter] = []
    running.forEach { if case .granted = $0.state { granted.append($0) } }
    for seat in granted.reversed() {
      running.remove(seat)
      seat.state = .waiting
      waiting.prepend(seat)
    }
  }

  /// A job that runs has ended, or one that waits has left.
  package func release(_ seat: Seat) {
    if seat.isWaiting { waiting.remove(seat) } else { running.remove(seat) }
    seat.home = nil
  }

  /// Whether this one becomes a part of the other if the two become one.
  package func isSmaller(than other: Batch) -> Bool { jobs < other.jobs }

  /// The neighbour becomes a part of this one, behind it or in front of it; O(1).
  package func absorb(_ other: Batch, inFront: Bool) {
    waiting.takeOver(&other.waiting, inFront: inFront)
    running.takeOver(&other.running, inFront: inFront)
    jobs += other.jobs
    raisedTo = max(raisedTo, other.raisedTo)
    floor = min(floor, other.floor)
    other.whole = self
    other.state = .running
  }

  /// Rejects the jobs that have not begun, in the order of their places, and returns them as a batch of their own; `nil` if
  /// there are none.
  package func rejectThoseThatWait(_ why: JobRejection) -> Batch? {
    let rest = Batch(limit: limit, priority: priority)
    running.forEach { seat in
      guard case .granted = seat.state else { return }
      rest.rejected.append(Seat.cast(seat))
      rest.decided.append(Seat.cast(seat))
      // It has a seat until its task finds this, when it is about to begin.
      seat.revoke(why)
    }
    while let seat = waiting.removeFirst() { rest.reject(Seat.cast(seat), why) }
    rest.state = .rejected(why)
    return rest.rejected.isEmpty ? nil : rest
  }

  private func reject(_ seat: Seat, _ why: JobRejection) {
    seat.reject(why)
    seat.home = nil
    rejected.append(seat)
    decided.append(seat)
  }
}

/// Where one job stands in a batch.
@usableFromInline
package class Seat: Waiter, @unchecked Sendable {
  /// The batch in which it took its seat, or one that has become of that.
  @exclusivity(unchecked) private final var lastHome: Batch?

  /// The batch; `nil` when the job has no seat any more.
  @usableFromInline package final fileprivate(set) var home: Batch? {
    get {
      if let home = lastHome?.root, home !== lastHome { lastHome = home }
      return lastHome
    }
    set { lastHome = newValue }
  }

  /// The turn that its job has, once it runs.
  package var node: WaitNode? { nil }

  /// Safe because batches have seats and nothing else.
  fileprivate static func cast(_ waiter: Waiter) -> Seat { unsafeDowncast(waiter, to: Seat.self) }
}
