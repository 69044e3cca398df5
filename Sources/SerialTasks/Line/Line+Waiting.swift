// How jobs wait for their turns, begin and end.

extension Line: WaitingRoom {
  @usableFromInline
  package final func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    locked { _ in waiter.park(suspension) }
  }

  @usableFromInline
  package final func mustPark(_ waiter: Waiter) -> Bool { !waiter.isDrainer && mustPark(Line.job(waiter)) }

  @usableFromInline
  package final func leave(_ waiter: Waiter, _ why: JobRejection) {
    if case .left(let effects) = locked({ $0.leave(waiter, why) }) { carryOut(effects) }
  }

  @usableFromInline
  package final func blockers(of waiter: Waiter) -> Blockers { locked { $0.blockers(of: waiter) } }

  /// Returns which turns must end before the submitted job has ended.
  final func blockers(ofEndOf job: Job) -> Blockers { locked { $0.blockers(ofEndOf: job) } }

  @usableFromInline
  package final func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting {
    locked { $0.meeting(of: waiter, with: turn) }.named(in: self)
  }
}

extension Line {
  /// Carries out what was decided about a job that has arrived, and reports it; returns why it was rejected, if it was.
  @discardableResult
  @usableFromInline
  package final func receive(_ arrival: Arrival, of job: Job) -> JobRejection? {
    switch arrival {
    case .granted: return nil
    case .waiting(let escalations):
      if !escalations.isEmpty { escalate(escalations) }
      // Written when it came, by this thread, and by no other before it begins.
      if !job.start.isMoment { beginWait(job, reportedAs: job.name) }
      hasCome(job)
      return nil
    case .rejected(let why):
      report(.rejected(why), of: job, job.name, nil)
      job.settle(rejected: why)
      return why
    }
  }

  /// Resumes the observers that have seen enough, now that one more waits, and lets go on, or rejects, what would wait for itself.
  @inline(__always)
  final func hasCome(_ job: Job) {
    tellObservers()
    if job.kind.contains(.meetsOthers) { tellWhomItMeets(job) }
  }

  /// Lets go on what was held back when the job came, and rejects the callers of `drain` that it makes wait for themselves.
  @inline(never)
  private final func tellWhomItMeets(_ job: Job) {
    let notes = locked { _ in job.notes }
    if notes.contains(.meetsHeldBack) {
      carryOut(locked { $0.makeWay(for: job) })
      letPendingGoOn()
    }
    if notes.contains(.meetsDrains) { rejectDrains(closedBy: job) }
  }

  /// Rejects the callers of `drain` that wait for this job while it waits for them.
  @inline(never)
  private final func rejectDrains(closedBy job: Job) {
    let drains = locked { $0.drains(metBy: job) }
    let stuck = WaitGraph.stuck(drains) { self.blockers(of: job) }
    for (drain, deadlock) in stuck { leave(drain, .deadlock(deadlock)) }
  }

  /// Waits for the job's turn, as a caller that leaves when its task is cancelled.
  ///
  /// When this returns the job runs, unless it was rejected (``Waiter/rejection``).
  @usableFromInline
  final func waitForTurn(isolation: isolated (any Actor)?, _ job: Job) async {
    await wait(job)
    // Also a caller that was put back and left may just be raised by another that saw it hold the turn.
    if job.isRejected, let pin = locked({ _ in job.pin }) { await pin.released() }
  }

  /// Waits for the turn of a submitted job, in its task, which can only be cancelled through its handle.
  ///
  /// Inlined, or each waiting task would have the frame of one more async function.
  @inlinable @inline(__always)
  nonisolated(nonsending) final func waitForTurn(ofSubmitted job: Job) async {
    repeat { await Suspension.park { self.park(job, $0) } } while mustPark(job)
  }

  /// Begins the job, or learns that it was rejected; returns whether it has to wait again instead.
  ///
  /// Not inlined, or all that is needed for events would lie in the frame of a task that waits.
  @usableFromInline @inline(never)
  final func mustPark(_ job: Job) -> Bool {
    switch begin(job) {
    case .run, .gone: return false
    case .waitAgain: return true
    case .revoked:
      _ = finish(job)
      return false
    }
  }

  final func begin(_ job: Job) -> Beginning {
    let beginning = locked { $0.begin(job) }
    switch beginning {
    case .run: report(.began, job)
    case .waitAgain:
      let start = WaitStart(at: clock.now)
      carryOut(locked { $0.giveWay(job, waitingSince: start) })
      hasCome(job)
    case .gone(let why), .revoked(let why):
      // A caller reports that it left, and not the thread that cancels it, which holds a lock of its task. Every other
      // rejection is reported by its cause.
      if !job.isSubmitted, why.isOwn { report(.rejected(why), job) }
    }
    return beginning
  }

  /// Ends the job's turn and hands it on.
  ///
  /// - Returns: What the holder must still wait for before it returns to its caller; nearly always nothing.
  @usableFromInline
  package final func finish(_ job: Job) -> EscalationPin? {
    var ending: Ending?
    let next = locked { state -> Suspension? in
      if case .handedOn(let next) = state.finishShortly(job) { return next }
      ending = state.finish(job)
      return nil
    }
    next?.resume()
    guard let ending else { return nil }
    carryOut(ending.effects)
    return ending.pin
  }

  /// Ends the turn of a caller that found the line free.
  @usableFromInline @inline(never)
  final func finishLight() -> EscalationPin? { locked { $0.leave() }.flatMap { finish($0) } }

  /// Reports a wait that may be a deadlock, if the job's task was started in the turn that it waits for.
  @usableFromInline
  package final func watch(_ job: Job) {
    let timer = StallWatch.begin(stall, blockers: { blockers(of: job) }) { [weak self, weak job] in
      guard let self, let job else { return false }
      return locked { _ in job.isWaiting }
    } tell: {
      {
        [reporter, executor = label, keys = keys(of: job), name = job.name, place = job.place] stalled in
        reporter?.report(stalled, executor: executor, keys: keys, name, place)
      }
    }
    if let timer { job.begin(timer) }
  }
}
