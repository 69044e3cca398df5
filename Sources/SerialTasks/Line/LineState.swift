/// The whole of what a line knows, and every decision it takes.
///
/// It runs under the lock of its ``Line``. What it decides about, waiters and their tasks, it never resumes, cancels or calls.
///
/// ```
///                enter, join                        finish, begin (rejected)
///   free ────────────────────────► taken ────────────────────────────────────► taken, by the next waiter
///    ▲                               │                                          or free, when nobody waits
///    └───────────────────────────────┘                                          or paused
///
///   paused: nobody is granted the turn, whoever holds it keeps it   ·   closed: nobody is let in, whoever waits is served
/// ```
///
/// Invariants, checked after every mutation in debug builds:
/// - A line that is not paused has no waiters unless its turn is taken.
/// - Places rise from the holder of the turn to the tail of the line.
/// - `raisedTo` never rises from the holder to the tail.
/// - Callers of `drain` wait only while something else waits or runs.
///
/// Each mutation returns what the shell (``Line``) has to do once it has unlocked. Nothing here resumes anybody.
@usableFromInline
package struct LineState: ~Copyable, Sendable {
  package let capacity: Int?
  package internal(set) var turn = Turn.free
  package internal(set) var waiting = WaiterList()
  package internal(set) var drainers = WaiterList()
  package internal(set) var isPaused = false
  @usableFromInline package internal(set) var isClosed = false
  /// How many were rejected by somebody who is just telling them.
  package internal(set) var untold = 0
  package internal(set) var lastPlace: Place = 0
  /// How many of those in the line are batches, and how many jobs wait in all batches, that of the turn included.
  var seats = (batches: 0, waiting: 0)

  package init(capacity: Int? = nil) { self.capacity = capacity }

  /// Hands out places from here on, so that they go on rising where an idle line serves somebody new.
  package mutating func advance(to place: Place) { lastPlace = max(lastPlace, place) }

  /// Whether nothing waits or runs, and all who were rejected have been told.
  package var isIdle: Bool { turn.isFree && waiting.isEmpty && untold == 0 }

  package var jobsWaiting: Int { waiting.count - seats.batches + seats.waiting }

  var isFull: Bool { capacity.map { jobsWaiting >= $0 } ?? false }
}

// MARK: - Coming

extension LineState {
  package enum Entry: Sendable {
    case granted(Place)
    /// The turn is taken or the line is paused: ``join(_:)`` with a waiter.
    case busy
    case rejected(JobRejection)
  }

  /// Takes the turn if the line is free: the way of a caller that need not wait, and so needs no waiter.
  package mutating func enter(name: String?, task: TaskReference?) -> Entry {
    if isClosed { return .rejected(.closed) }
    guard turn.isFree, !isPaused else { return .busy }
    lastPlace += 1
    turn = .entered(Turn.Entered(place: lastPlace, name: name, task: task))
    checkInvariants()
    return .granted(lastPlace)
  }

  @usableFromInline
  package enum Arrival: Sendable {
    case granted
    case waiting(Raise?)
    case rejected(JobRejection)
  }

  /// Gives the waiter its place: at the tail, or the turn itself if the line is free.
  package mutating func join(_ waiter: Waiter) -> Arrival {
    if isClosed { return reject(waiter, .closed) }
    let mustWait = !turn.isFree || isPaused
    if mustWait, isFull, let capacity { return reject(waiter, .full(capacity: capacity)) }
    lastPlace += 1
    waiter.place = lastPlace
    defer { checkInvariants() }
    waiter.awaitsTask = waiter.isSubmitted
    guard mustWait else {
      grant(waiter)
      return .granted
    }
    waiting.append(waiter)
    return .waiting(raise(aheadOf: waiter, to: waiter.priority))
  }

  private func reject(_ waiter: Waiter, _ why: JobRejection) -> Arrival {
    waiter.reject(why)
    return .rejected(why)
  }
}

// MARK: - Handing the turn on

extension LineState {
  package enum Handover: Sendable {
    /// The line is paused, or somebody else still holds the turn.
    case nobody
    /// The turn is this waiter's now; raise it first if somebody more urgent came behind it while it waited.
    case granted(Waiter, Raise?)
    /// Nothing waits and nothing runs: these callers of `drain` may go.
    case idle([Waiter])
  }

  package enum Beginning: Sendable {
    case run
    /// The line was paused after the grant: back to the head of it, and wait again.
    case putBack
    /// It had left the line.
    case gone(JobRejection)
    /// It had been granted the turn and is rejected all the same. The turn is its own until it finishes it.
    case turnedAway(JobRejection)
  }

  /// A waiter goes on, to run its job or to learn that it was rejected: the last moment at which it can be turned away.
  package mutating func begin(_ waiter: Waiter) -> Beginning {
    let why: JobRejection
    switch waiter.state {
    case .granted where isPaused:
      waiter.waitAgain()
      turn = .free
      waiting.prepend(waiter)
      checkInvariants()
      return .putBack
    case .granted:
      waiter.state = .running
      return .run
    case .revoked(let rejection): why = rejection
    case .rejected(let rejection): return .gone(rejection)
    case .waiting, .running: preconditionFailure("a waiter begins once, and only when it was granted the turn")
    }
    precondition(turn.waiter === waiter, "only the waiter that was granted the turn can begin")
    waiter.state = .rejected(why)
    return .turnedAway(why)
  }

  /// The same as ``begin(_:)`` for the commonest case: the waiter has its turn, and nothing speaks against it.
  ///
  /// - Returns: Whether it was that case; if not, nothing has changed.
  package mutating func beginAtOnce(_ waiter: Waiter) -> Bool {
    guard case .granted = waiter.state, !isPaused else { return false }
    waiter.state = .running
    return true
  }

  package struct Ending: Sendable {
    package let handover: Handover
    /// What the holder waits for before it returns to its caller.
    package let pin: EscalationPin?
  }

  /// The job at this place has ended, or was turned away.
  package mutating func finish(_ place: Place) -> Ending {
    let ended = turn
    precondition(ended.place == place, "only the holder of the turn can end it")
    turn = .free
    return Ending(handover: passOn(), pin: ended.pin)
  }

  /// The same as ``finish(_:)`` for the commonest case: nobody waited behind the job and nobody raised it.
  ///
  /// - Returns: Whether it was that case; if not, nothing has changed.
  package mutating func finishAlone(_ place: Place) -> Bool {
    guard turn.isOfUnraisedCaller(at: place), waiting.isEmpty, drainers.isEmpty else { return false }
    turn = .free
    return true
  }

  /// The same for the commonest case on a busy line: of two waiters, neither a batch nor raised while it waited, the one ends
  /// and the other, which is the next, goes on.
  ///
  /// - Returns: The two, so that the one that has ended is let go of after the unlock; `nil` if it is not that case, and then
  ///   nothing has changed.
  package mutating func finishForNext(_ place: Place) -> (ended: Waiter, next: Waiter)? {
    guard case .granted(let ended) = turn, ended.place == place, ended.pin == nil, ended.batch == nil, !isPaused,
      let next = waiting.first, next.raisedTo <= next.priority, next.batch == nil, next.starting == nil
    else { return nil }
    waiting.dropFirst()
    grant(next)
    checkInvariants()
    return (ended, next)
  }

  mutating func passOn() -> Handover {
    defer { checkInvariants() }
    if let batch = share() { return .granted(batch, nil) }
    if let batch = turn.waiter?.batch {
      if !batch.isEmpty { return .nobody }
      turn = .free
    }
    guard turn.isFree, !isPaused || waiting.isEmpty else { return .nobody }
    if let next = waiting.removeFirst() {
      grant(next)
      if next.batch != nil {
        seats.batches -= 1
        _ = share()
      }
      guard next.raisedTo > next.priority, let pin = turn.raise(to: next.raisedTo) else { return .granted(next, nil) }
      return .granted(next, Raise(priority: next.raisedTo, holder: pin))
    }
    if drainers.isEmpty || untold > 0 { return .nobody }
    let leaving = drainers.removeAll()
    for waiter in leaving { waiter.state = .granted }
    return .idle(leaving)
  }

  mutating func grant(_ waiter: Waiter) {
    waiter.state = .granted
    turn = .granted(waiter)
  }
}

// MARK: - Invariants

extension LineState {
  /// Traps in debug builds if the state contradicts itself; costs nothing in release.
  package func checkInvariants() {
    assert(isPaused || !turn.isFree || waiting.isEmpty, "a free line has waiters")
    assert(drainers.isEmpty || !isIdle, "somebody drains an idle line")
    assert(seats.batches >= 0 && seats.waiting >= seats.batches, "a batch without a seat is in the line")
    assert(turn.place <= lastPlace, "a place that was never handed out")
    assert(waiting.first.map { turn.place < $0.place } ?? true, "the holder stands behind a waiter")
    assert(waiting.last.map { $0.place <= lastPlace && $0.isWaiting } ?? true, "the tail does not wait")
  }
}
