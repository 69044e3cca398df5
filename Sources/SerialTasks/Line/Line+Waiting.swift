// How jobs wait for their turns, begin and end.

extension Line: WaitingRoom {
  @usableFromInline
  package final func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    // A submitted job waits since it came, and a caller since now; so one that need not wait does not read the clock.
    let start = waiter.start.isMoment ? waiter.start : waitStart
    return locked { _ in
      waiter.start = start
      return waiter.park(suspension)
    }
  }

  @usableFromInline
  package final func goesOn(_ waiter: Waiter) { if !waiter.isDrainer { begin(Line.job(waiter)) } }

  @usableFromInline
  package final func leave(_ waiter: Waiter, _ why: JobRejection) {
    if case .left(let effects) = locked({ $0.leave(waiter, why) }) { effects.carryOut(on: self) }
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
  /// Reports what was decided about a job that has arrived; returns why it was rejected, if it was.
  @discardableResult
  @usableFromInline
  package final func receive(_ arrival: Arrival, of job: Job, isDraft: Bool = false) -> JobRejection? {
    switch arrival {
    case .granted: return nil
    case .waiting(let ahead):
      reportWaiting(job, reportedAs: job.name, ahead: ahead, isDraft: isDraft)
      tellObservers()
      return nil
    case .rejected(let why):
      report(.rejected(why), of: job, job.name, nil)
      job.settle(rejected: why)
      return why
    }
  }

  /// Waits for the job's turn, as a caller that leaves when its task is cancelled.
  ///
  /// When this returns the job runs, unless it was rejected (``Waiter/rejection``).
  @usableFromInline
  final func waitForTurn(isolation: isolated (any Actor)?, _ job: Job) async {
    await wait(job)
    // It may have had its turn, and have been raised for that.
    if job.isRejected, let pin = locked({ _ in job.pin }) { await pin.released() }
  }

  /// Waits for the turn of a submitted job, in its task, which can only be cancelled through its handle.
  ///
  /// Inlined, or each waiting task would have the frame of one more async function.
  @_alwaysEmitIntoClient @inline(__always)
  nonisolated(nonsending) final func waitForTurn(ofSubmitted job: Job) async {
    await Suspension.park { self.park(job, $0) }
    begin(job)
  }

  /// Begins the job, or learns that it was rejected; returns whether it begins.
  ///
  /// Not inlined, or all that is needed for events would lie in the frame of a task that waits.
  @discardableResult
  @usableFromInline @inline(never)
  final func begin(_ job: Job) -> Bool {
    switch locked({ $0.begin(job) }) {
    case .run:
      report(.began, job)
      return true
    case .gone(let why):
      // A caller reports that it left, and not the thread that cancels it, which holds a lock of its task. Every other
      // rejection is reported by its cause.
      if !job.isSubmitted, why.isOwn { report(.rejected(why), job) }
      return false
    }
  }

  /// Ends the job's turn and hands it on.
  ///
  /// - Returns: What the holder must still wait for before it returns to its caller; nearly always nothing.
  @usableFromInline
  package final func end(_ job: Job) -> EscalationPin? {
    var effects = Effects()
    let pin = locked { state in
      state.end(job, &effects)
      return job.pin
    }
    effects.carryOut(on: self)
    return pin
  }

  /// Ends the turn of a caller that found the line free.
  @usableFromInline @inline(never)
  final func endLight() -> EscalationPin? { locked { $0.leave() }.flatMap { end($0) } }

  /// Notes the turn in which the task of a caller was started that waits, for the report that this turn takes too long.
  @usableFromInline
  package final func noteStart(of caller: Waiter) {
    if let reporter, reporter.limitsTurns, let turn = TurnMarker.doubtful {
      locked { _ in caller.startedIn = turn }
    }
  }
}

/// What is to be done with the task that was made for a job.
struct Attachment: Sendable {
  let isCancelled: Bool
  let raisedTo: UInt8
  /// What was decided while the task was being made takes effect now.
  let suspension: Suspension?
}

// MARK: - Carrying out

extension Line {
  final func carryOut(_ escalation: Escalation) {
    switch escalation.target {
    case .caller(let pin): pin.escalate(to: escalation.priority)
    case .job(let job):
      // Its task is looked up now: it may have been found one since.
      locked { _ in job.escalate(to: escalation.priority) }?.escalate(to: escalation.priority)
    }
  }

  /// Reports the rejected jobs and settles them, and only then lets callers of `drain` go on.
  final func tell(_ jobs: [Job], _ why: JobRejection) {
    if jobs.isEmpty { return }
    for job in jobs {
      if reports {
        for (kind, caller, place) in job.endings(why) { report(kind, of: job, caller.name, place, by: caller) }
      }
      job.settle(rejected: why)
    }
    locked { $0.told(jobs) }.carryOut(on: self)
  }

  final func carryOut(_ withdrawal: Withdrawal) {
    tell(withdrawal.rejected, .withdrawn)
    withdrawal.effects.carryOut(on: self)
  }

  /// Lets a job that the pause holds back be granted its turn, or what has taken its place, because a running job waits for it.
  ///
  /// That was found before, under the lock of the graph. Once no caller waits for what runs, nothing may begin.
  final func letPass(_ job: Job) {
    locked { $0.isPauseAwaited ? $0.letPass(job.newest) : Effects() }.carryOut(on: self)
  }
}

// MARK: - Submitted jobs

extension Line {
  /// Hands the line the task that was made for a job, so that it can be raised and cancelled, as it may be already.
  @usableFromInline
  package final func attach(_ task: Task<Void, Never>, to job: Job) {
    let attachment = locked { _ in job.attach(task) }
    if attachment.isCancelled { task.cancel() }
    if attachment.raisedTo > job.priority { task.escalate(to: attachment.raisedTo) }
    attachment.suspension?.resume()
  }

  /// Cancels a submitted job; when this returns, its handles are settled if it will not run.
  final func cancel(_ job: Job) {
    let (departure, task) = locked { state in
      job.isCancelled = true
      return (state.leave(job, .cancelled), job.handle)
    }
    switch departure {
    case .left(let effects):
      tell([job], .cancelled)
      task?.cancel()
      effects.carryOut(on: self)
    case .running: task?.cancel()
    case .gone: break
    }
  }

  final func isCancelled(_ job: Job) -> Bool { locked { _ in job.isCancelled } }

  /// Raises the submitted job, which a task of this priority awaits: neither it nor what is ahead of it should run at a lower one.
  final func escalate(_ job: Job, to priority: UInt8) {
    carryOut { state, effects in
      if job.isPresent { state.raise(job, to: priority, &effects) } else { job.raisedTo = max(job.raisedTo, priority) }
    }
  }

  /// Whether the running code certainly has a turn of this line.
  final var hasOwnTurn: Bool { HeldTurn.node { $0.resource === self } != nil }
}
