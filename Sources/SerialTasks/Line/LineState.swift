/// The whole of what a serial line knows, and every decision it makes.
///
/// It runs under the lock of its ``SerialLine``. It never resumes, cancels or calls the waiters and tasks that it decides
/// about.
///
/// ```
///                enter, join                        finish, begin (rejected)
///   free ────────────────────────► taken ────────────────────────────────────► taken, by the next waiter
///    ▲                               │                                          or free, when no job waits
///    └───────────────────────────────┘                                          or paused
///
///   paused: no job is granted the turn, and its holder keeps it   ·   closed: no job is accepted, and those that wait run
/// ```
///
/// Invariants, checked after every mutation in debug builds:
/// - A line that is not paused has no waiters unless its turn is taken.
/// - Places rise from the holder of the turn to the tail of the line.
/// - `raisedTo` never rises from the holder to the tail.
/// - Callers of `drain` wait only while something else waits or runs.
@usableFromInline
package struct LineState: ~Copyable, Sendable {
  package let capacity: Int?
  /// Those who look at ``waiting``.
  private let observers: WaitObservers<LineState>
  package internal(set) var turn = Turn.free
  package internal(set) var waiting = WaiterList()
  package internal(set) var drainers = WaiterList()
  package internal(set) var isPaused = false
  @usableFromInline package internal(set) var isClosed = false
  /// Number of rejected jobs whose handlers and events are still being delivered.
  package internal(set) var untold = 0
  package internal(set) var lastPlace: Place = 0
  /// The place of a holder, and when the first job came that waits behind it.
  var firstBehind: (place: Place, start: WaitStart) = (0, WaitStart())

  package init(capacity: Int? = nil, observers: WaitObservers<LineState> = WaitObservers()) {
    self.capacity = capacity
    self.observers = observers
  }

  /// Whether no job waits or runs, and every rejection has been reported.
  package var isIdle: Bool { turn.isFree && waiting.isEmpty && untold == 0 }

  var isFull: Bool { capacity.map { waiting.count >= $0 } ?? false }
}

// MARK: - Arriving

extension LineState {
  package enum Entry: Sendable {
    case granted(Place)
    /// The turn is taken or the line is paused: ``join(_:)`` with a waiter.
    case busy
    case rejected(JobRejection)
  }

  /// Takes the turn if the line is free, for a caller that then needs no waiter.
  package mutating func enter(name: String?, task: TaskReference?) -> Entry {
    if isClosed { return .rejected(.closed) }
    guard turn.isFree, !isPaused else { return .busy }
    lastPlace += 1
    turn = .entered(Turn.Entered(place: lastPlace, name: name, task: task))
    checkInvariants()
    return .granted(lastPlace)
  }

  /// A caller found the line free without the lock, and holds the turn.
  mutating func take(for task: TaskReference) {
    guard case .granted = enter(name: nil, task: task) else { preconditionFailure("the line was free") }
  }

  /// Whether a caller may take the turn without the lock.
  var isOpen: Bool { turn.isFree && !isPaused && !isClosed }

  /// Gives the waiter its place: at the tail, or the turn itself if the line is free.
  package mutating func join(_ waiter: Waiter) -> Arrival {
    if isClosed { return waiter.refuse(.closed) }
    let mustWait = !turn.isFree || isPaused
    if mustWait, isFull, let capacity { return waiter.refuse(.full(capacity: capacity)) }
    lastPlace += 1
    waiter.place = lastPlace
    defer { checkInvariants() }
    waiter.awaitsTask = waiter.isSubmitted
    guard mustWait else {
      grant(waiter)
      return .granted
    }
    waiter.start = WaitStart(ahead: ahead)
    waiting.append(waiter)
    observers.note(self)
    return .waiting(escalate(from: waiter.previous, to: waiter.priority))
  }
}

// MARK: - Beginning, ending

extension LineState {
  /// A waiter goes on: the last moment at which it can be rejected.
  package mutating func begin(_ waiter: Waiter) -> Beginning {
    guard case .granted = waiter.state, isPaused else { return waiter.begin() }
    precondition(turn.waiter === waiter, "only the waiter that was granted the turn can begin")
    waiter.waitAgain()
    turn = .free
    waiting.prepend(waiter)
    observers.note(self)
    checkInvariants()
    return .waitAgain
  }

  /// A waiter waits again, because the line was paused: those who wait for the pause go on.
  package mutating func giveWay() -> Effects { passOn() }

  /// How the turn was handed on in the two commonest cases, which need no effects.
  package enum ShortEnding: Sendable {
    /// No job waited, and the holder was not raised.
    case free
    /// From one waiter to the next, neither of which was raised; the first is released after the unlock.
    case handedOn(from: Waiter, to: Suspension?)
    /// Neither: nothing has changed, and ``finish(_:)`` does it.
    case none
  }

  /// The job at this place has ended, or was rejected after its grant.
  ///
  /// Inlined, because every call comes through here.
  @inline(__always)
  package mutating func finishShortly(_ place: Place) -> ShortEnding {
    if turn.isOfUnraisedCaller(at: place), waiting.isEmpty, drainers.isEmpty {
      turn = .free
      return .free
    }
    guard case .granted(let ended) = turn, ended.place == place, ended.pin == nil, !isPaused,
      let next = waiting.first, next.raisedTo <= next.priority, next.unstarted == nil
    else { return .none }
    waiting.dropFirst()
    grant(next)
    checkInvariants()
    return .handedOn(from: ended, to: next.takeSuspension())
  }

  /// The job at this place has ended, or was rejected after its grant.
  package mutating func finish(_ place: Place) -> Ending {
    let ended = turn
    precondition(ended.place == place, "only the holder of the turn can end it")
    turn = .free
    return Ending(effects: passOn(), pin: ended.pin)
  }

  /// The job has ended that ran in a task found for it, and the next job runs in the same task: it has the turn, and begins.
  ///
  /// - Returns: The next job; `nil` if it does not run there, and then nothing has changed, and ``finish(_:)`` does it.
  package mutating func handOn(from job: Submission) -> Submission? {
    guard !isPaused, let next = waiting.first?.unstarted, next.mayRun(inTaskOf: job) else { return nil }
    precondition(turn.waiter === job, "only the holder of the turn can end it")
    waiting.dropFirst()
    grant(next)
    next.start(inTaskOf: job)
    checkInvariants()
    return next
  }

  private mutating func passOn() -> Effects {
    var effects = Effects()
    defer { checkInvariants() }
    if turn.isFree, !drainers.isEmpty { effects.resumePausers(of: &drainers) }
    guard turn.isFree, !isPaused || waiting.isEmpty else { return effects }
    if let next = waiting.removeFirst() {
      grant(next)
      if next.raisedTo > next.priority, let pin = turn.escalate(to: next.raisedTo) {
        effects.escalations.append(Escalation(target: .caller(pin), priority: next.raisedTo))
      }
      effects.grant(next)
    } else if !drainers.isEmpty, untold == 0 {
      effects.resumeAll(&drainers)
    }
    return effects
  }

  private mutating func grant(_ waiter: Waiter) {
    waiter.state = .granted
    turn = .granted(waiter)
  }
}

// MARK: - Leaving

extension LineState {
  /// A caller or a submitted job was cancelled.
  package mutating func leave(_ waiter: Waiter, _ why: JobRejection) -> Departure {
    switch waiter.state {
    case .waiting:
      if waiter.isDrainer { drainers.remove(waiter) } else { waiting.remove(waiter) }
      waiter.reject(why)
      if waiter.isSubmitted { untold += 1 }
      var effects = Effects()
      effects.resume(waiter)
      effects.append(passOn())
      return .left(effects)
    case .granted where !waiter.isDrainer:
      waiter.revoke(why)
      if waiter.isSubmitted { untold += 1 }
      return .revoked
    case .running: return turn.waiter === waiter ? .running : .gone
    case .granted, .revoked, .rejected: return .gone
    }
  }

  /// Rejects every job that has not begun, and cancels the one that runs if it was submitted, or in any case.
  package mutating func withdrawAll(cancelsCallers: Bool = false) -> Withdrawal {
    var withdrawal = Withdrawal(rejected: waiting.removeAll())
    for waiter in withdrawal.rejected { waiter.reject(.withdrawn) }
    if let holder = turn.waiter {
      if case .granted = holder.state {
        holder.revoke(.withdrawn)
        withdrawal.rejected.insert(holder, at: 0)
      } else if holder.isSubmitted {
        withdrawal.effects.cancelled = holder.cancelRunning()
      }
    }
    if cancelsCallers, turn.isRunning, let pin = turn.holdCaller() { withdrawal.effects.cancelledCallers.append(pin) }
    untold += withdrawal.rejected.count
    for waiter in withdrawal.rejected { waiter.resume(into: &withdrawal.effects) }
    return withdrawal
  }

  /// The rejections of so many jobs have been reported, which callers of `drain` may have waited for.
  package mutating func told(_ count: Int) -> Effects {
    untold -= count
    return passOn()
  }
}

// MARK: - Pausing, closing, draining

extension LineState {
  package mutating func pause() { isPaused = true }

  package mutating func resume() -> Effects {
    isPaused = false
    var effects = Effects()
    effects.resumePausers(of: &drainers, rejecting: .withdrawn)
    effects.append(passOn())
    return effects
  }

  package mutating func close() { isClosed = true }

  /// Whether the caller of `drain` or `pauseAndWait` has to wait, and what it raises.
  package mutating func drain(_ waiter: Waiter) -> Arrival {
    if waiter.pauses { pause() }
    if waiter.pauses ? turn.isFree : isIdle { return .granted }
    drainers.append(waiter)
    checkInvariants()
    return .waiting(escalate(from: waiter.pauses ? nil : waiting.last, to: waiter.priority))
  }
}

// MARK: - Priority

extension LineState {
  /// What delays a waiter should not run at a lower priority.
  ///
  /// `raisedTo` falls towards the tail, so the walk ends at the first that is high enough: each waiter is visited once for
  /// each distinct priority, whatever the length of the line.
  ///
  /// - Parameters:
  ///   - last: The last waiter ahead.
  ///   - priority: What it and all ahead of it are raised to.
  /// - Returns: Those that are raised.
  private mutating func escalate(from last: Waiter?, to priority: UInt8) -> Few<Escalation> {
    var escalations = Few<Escalation>.none
    var cursor = last
    while let ahead = cursor, ahead.raisedTo < priority {
      ahead.raisedTo = priority
      if ahead.isSubmitted { escalations.append(Escalation(target: .job(ahead), priority: priority)) }
      cursor = ahead.previous
    }
    if cursor == nil, turn.raisedTo < priority {
      if let pin = turn.escalate(to: priority) {
        escalations.append(Escalation(target: .caller(pin), priority: priority))
      } else if let holder = turn.waiter, holder.isSubmitted {
        escalations.append(Escalation(target: .job(holder), priority: priority))
      }
    }
    return escalations
  }

  /// A task of this priority awaits the submitted job.
  package mutating func escalate(_ waiter: Waiter, to priority: UInt8) -> Few<Escalation> {
    guard waiter.raisedTo < priority else { return .none }
    waiter.raisedTo = priority
    var escalations = Few.one(Escalation(target: .job(waiter), priority: priority))
    if waiter.isWaiting { escalations.append(contentsOf: escalate(from: waiter.previous, to: priority)) }
    return escalations
  }
}

// MARK: - Deadlocks

extension LineState {
  /// Who stands in the way of the waiter, or of one that is about to arrive: the holder of the turn.
  func blockers(of waiter: Waiter, node: WaitNode) -> Blockers {
    waiter.isWaiting && !turn.isFree ? .all([node]) : .none
  }
}

// MARK: - Invariants

extension LineState {
  /// Traps in debug builds if the state contradicts itself; costs nothing in release.
  package func checkInvariants() {
    assert(isPaused || !turn.isFree || waiting.isEmpty, "a free line has waiters")
    assert(drainers.isEmpty || !isIdle, "a caller drains an idle line")
    assert(turn.place <= lastPlace, "a place that was never handed out")
    assert(waiting.first.map { turn.place < $0.place } ?? true, "the holder stands behind a waiter")
    assert(waiting.last.map { $0.place <= lastPlace && $0.isWaiting } ?? true, "the tail does not wait")
  }
}
