/// The whole of what a line knows, and every decision it takes: a value with no lock, no task and no continuation in it.
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
  /// Who has the right to run, from the grant to the end of the job.
  package struct Turn: Sendable {
    package let place: Place
    package let name: String?
    /// The task that runs the job, when it is a caller's own.
    package let task: TaskReference?
    /// The waiter that was granted this turn; `nil` when the line was free and nobody had to wait.
    package let waiter: Waiter?
    package internal(set) var raisedTo: UInt8
    /// Held by those who raise the holder's task, when it did not have to wait; else its waiter has the pin.
    package internal(set) var pin: EscalationPin?
  }

  package let capacity: Int?
  package internal(set) var turn: Turn?
  package internal(set) var waiting = WaiterList()
  package internal(set) var drainers = WaiterList()
  package internal(set) var isPaused = false
  package internal(set) var isClosed = false
  private var lastPlace: Place = 0

  package init(capacity: Int? = nil) { self.capacity = capacity }

  package var isIdle: Bool { turn == nil && waiting.isEmpty }
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
    guard turn == nil, !isPaused else { return .busy }
    lastPlace += 1
    turn = Turn(place: lastPlace, name: name, task: task, waiter: nil, raisedTo: 0)
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
    let mustWait = turn != nil || isPaused
    if mustWait, let capacity, waiting.count >= capacity { return reject(waiter, .full(capacity: capacity)) }
    lastPlace += 1
    waiter.place = lastPlace
    defer { checkInvariants() }
    guard mustWait else {
      grant(waiter)
      return .granted
    }
    waiting.append(waiter)
    return .waiting(raise(aheadOf: waiter, to: waiter.priority))
  }

  private func reject(_ waiter: Waiter, _ why: JobRejection) -> Arrival {
    waiter.standing = .rejected(why)
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
    case rejected(JobRejection, Handover)
  }

  /// A waiter goes on, to run its job or to learn that it was rejected: the last moment at which it can be turned away.
  package mutating func begin(_ waiter: Waiter, isCancelled: Bool) -> Beginning {
    let why: JobRejection
    switch waiter.standing {
    case .granted where isCancelled: why = .cancelled
    case .granted where isPaused:
      waiter.standing = .waiting
      turn = nil
      waiting.prepend(waiter)
      checkInvariants()
      return .putBack
    case .granted:
      waiter.standing = .running
      return .run
    case .revoked(let rejection): why = rejection
    case .rejected(let rejection): return .rejected(rejection, .nobody)
    case .waiting, .running: preconditionFailure("a waiter begins once, and only when it was granted the turn")
    }
    precondition(turn?.waiter === waiter, "only the waiter that was granted the turn can begin")
    waiter.standing = .rejected(why)
    turn = nil
    return .rejected(why, passOn())
  }

  package struct Ending: Sendable {
    package let handover: Handover
    /// What the holder waits for before it returns to its caller.
    package let pin: EscalationPin?
  }

  /// The job at this place has ended.
  package mutating func finish(_ place: Place) -> Ending {
    guard let ended = turn, ended.place == place else { preconditionFailure("only the holder of the turn can end it") }
    turn = nil
    return Ending(handover: passOn(), pin: ended.waiter?.pin ?? ended.pin)
  }

  mutating func passOn() -> Handover {
    defer { checkInvariants() }
    guard turn == nil, !isPaused || waiting.isEmpty else { return .nobody }
    if let next = waiting.removeFirst() {
      grant(next)
      guard next.raisedTo > next.priority, !next.isSubmitted, let pin = pinHolder() else { return .granted(next, nil) }
      return .granted(next, Raise(priority: next.raisedTo, holder: pin))
    }
    if drainers.isEmpty { return .nobody }
    let leaving = drainers.removeAll()
    for waiter in leaving { waiter.standing = .granted }
    return .idle(leaving)
  }

  private mutating func grant(_ waiter: Waiter) {
    waiter.standing = .granted
    turn = Turn(
      place: waiter.place, name: waiter.name, task: waiter.task, waiter: waiter, raisedTo: waiter.raisedTo)
  }
}

// MARK: - Invariants

extension LineState {
  /// Traps in debug builds if the state contradicts itself; costs nothing in release.
  package func checkInvariants() {
    assert(isPaused || turn != nil || waiting.isEmpty, "a free line has waiters")
    assert(drainers.isEmpty || !isIdle, "somebody drains an idle line")
    assert(turn.map { $0.place <= lastPlace } ?? true, "a place that was never handed out")
    assert(
      turn == nil || waiting.first == nil || turn!.place < waiting.first!.place, "the holder stands behind a waiter")
    assert(waiting.last.map { $0.place <= lastPlace && $0.standing == .waiting } ?? true, "the tail does not wait")
  }
}
