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
/// one.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class Batch: Waiter, @unchecked Sendable {
  /// Most jobs that run at the same time.
  package final let limit: Int?
  /// What all of its jobs have been raised to, for those who wait for all of them; `raisedTo` counts each of its own as well.
  @exclusivity(unchecked) @usableFromInline package final var floor: UInt8 = 0
  /// What it has become a part of.
  @exclusivity(unchecked) private final var whole: Batch?
  @exclusivity(unchecked) package final private(set) var waiting = WaiterList()
  @exclusivity(unchecked) package final private(set) var running = WaiterList()
  /// Seats that were granted or rejected and have not been let go yet.
  @exclusivity(unchecked) private final var decided: [Seat] = []
  /// Seats that were rejected together with the batch, whose jobs are to be told of it.
  private final var rejected: [Seat] = []

  @usableFromInline
  package init(limit: Int? = nil, priority: UInt8 = 0) {
    self.limit = limit
    super.init(isSubmitted: true, priority: priority)
  }

  /// Whether all of its jobs have ended.
  package final var isEmpty: Bool { waiting.isEmpty && running.isEmpty }

  /// Whether some of its jobs wait for others of it, or will.
  package final var isCrowded: Bool { waiting.count + running.count > limit ?? .max }

  package final var hasRoom: Bool { waiting.isEmpty && running.count < limit ?? .max }

  /// What was to be shared with later jobs is not any more.
  package func stopSharing() {}

  /// The batch behind becomes a part of this one; what it shares is younger.
  package func takeOver(from next: Batch) {}

  // MARK: What a line asks of it as of any waiter

  package final override var batch: Batch? { self }

  package final override func reject(_ why: JobRejection) {
    super.reject(why)
    stopSharing()
    while let seat = waiting.removeFirst() { reject(Seat.cast(seat), why) }
  }

  package final override func letGo(into wake: inout Wake) {
    for seat in decided { seat.letGo(into: &wake) }
    decided = []
  }

  package final override func raise(to priority: UInt8) -> [Task<Void, Never>] {
    if let whole { return whole.raise(to: priority) }
    var tasks: [Task<Void, Never>] = []
    running.forEach { tasks += $0.raise(to: priority) }
    waiting.forEach { tasks += $0.raise(to: priority) }
    return tasks
  }

  package final override func cancelRunning() -> [Task<Void, Never>] {
    isCancelled = true
    stopSharing()
    var tasks: [Task<Void, Never>] = []
    running.forEach { tasks += $0.cancelRunning() }
    return tasks
  }

  package final override var rejectedJobs: [(name: String?, place: Place)] { rejected.flatMap(\.rejectedJobs) }
}

// MARK: - Deadlocks

extension Batch {
  /// Those of its jobs that run.
  package final var holders: [TurnHolder] {
    var holders: [TurnHolder] = []
    running.forEach { if let holder = Seat.cast($0).holder { holders.append(holder) } }
    return holders
  }
}

// MARK: - Events

extension Batch {
  package final func take(_ seat: Seat) {
    seat.home = self
    waiting.append(seat)
  }

  /// Begins as many jobs as there is room for; returns whether there were any.
  package final func fill() -> Bool {
    var hasBegun = false
    while running.count < limit ?? .max, let seat = waiting.removeFirst() {
      seat.standing = .granted
      running.append(seat)
      decided.append(Seat.cast(seat))
      hasBegun = true
    }
    return hasBegun
  }

  /// Jobs that have not begun go back to where they waited.
  package final func putBack() {
    var granted: [Waiter] = []
    running.forEach { if case .granted = $0.standing { granted.append($0) } }
    for seat in granted.reversed() {
      running.remove(seat)
      seat.standing = .waiting
      waiting.prepend(seat)
    }
  }

  /// A job that runs has ended, or one that waits has left.
  package final func release(_ seat: Seat) {
    if seat.isWaiting { waiting.remove(seat) } else { running.remove(seat) }
    seat.home = nil
  }

  /// The batch behind becomes a part of this one.
  package final func absorb(_ next: Batch) {
    takeOver(from: next)
    while let seat = next.waiting.removeFirst() { take(Seat.cast(seat)) }
    raisedTo = max(raisedTo, next.raisedTo)
    floor = min(floor, next.floor)
    next.whole = self
  }

  /// Rejects the jobs that have not begun, in the order of their places, and returns them as a batch of their own; `nil` if
  /// there are none.
  package final func rejectThoseThatWait(_ why: JobRejection) -> Batch? {
    let rest = Batch(limit: limit, priority: priority)
    running.forEach { seat in
      guard case .granted = seat.standing else { return }
      rest.rejected.append(Seat.cast(seat))
      rest.decided.append(Seat.cast(seat))
      // It has a seat until its task finds this, when it is about to begin.
      seat.revoke(why)
    }
    while let seat = waiting.removeFirst() { rest.reject(Seat.cast(seat), why) }
    rest.standing = .rejected(why)
    return rest.rejected.isEmpty ? nil : rest
  }

  private final func reject(_ seat: Seat, _ why: JobRejection) {
    seat.reject(why)
    seat.home = nil
    rejected.append(seat)
    decided.append(seat)
  }
}

/// Where one job stands in a batch.
@usableFromInline
package class Seat: Waiter, @unchecked Sendable {
  /// The batch; `nil` when the job has no seat any more.
  @exclusivity(unchecked) @usableFromInline package final fileprivate(set) var home: Batch?

  /// The turn that its job has, once it runs.
  package var holder: TurnHolder? { nil }

  /// Safe because batches have seats and nothing else.
  fileprivate static func cast(_ waiter: Waiter) -> Seat { unsafeDowncast(waiter, to: Seat.self) }
}
