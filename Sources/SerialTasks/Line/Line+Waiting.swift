extension Line: WaitingRoom {
  @usableFromInline
  package final func park(_ job: Job, _ suspension: Suspension) -> Bool {
    // A submitted job has waited since its arrival; a caller waits from now on, and otherwise reads no clock.
    let start = job.start.isMoment ? nil : waitStart
    return locked { _ in
      if let start { job.start = start }
      return job.park(suspension)
    }
  }

  @usableFromInline
  package final func goesOn(_ job: Job) { begin(job) }

  @usableFromInline
  package final func leave(_ job: Job, _ why: JobRejection) {
    if case .left(let effects) = locked({ $0.leave(job, why) }) { effects.carryOut(on: self) }
  }

  @usableFromInline
  package final func blockers(of job: Job) -> Blockers { locked { $0.blockers(of: job) } }

  @usableFromInline
  final func limit(_ job: Job, to limit: Duration) { job.begin(limits.start(limit) { self.leave(job, .late) }) }

  @usableFromInline
  package final func meeting(of job: Job, with turn: WaitNode) -> Meeting {
    locked { $0.meeting(of: job, with: turn) }.named(in: self)
  }
}

extension Line {
  @usableFromInline
  package final func receive(_ arrival: Arrival, of job: Job, isOnHold: Bool = false) {
    switch arrival {
    case .granted: break
    case .waiting(let ahead):
      reportWaiting(job, reportedAs: job.name, ahead: ahead, isOnHold: isOnHold)
      tellObservers()
    case .rejected(let why):
      report(.rejected(why), of: job, job.name, nil)
      job.settle(rejected: why)
    }
  }

  /// Returns the pin of a job that may have been granted its turn, and raised, before it was rejected.
  @usableFromInline @inline(never)
  final func pin(ofRejected job: Job) -> EscalationPin? { locked { _ in job.pin } }

  /// Waits in the job's task, which can only be cancelled through its handle.
  ///
  /// Inlined: it would be one more async frame in each waiting task.
  @_alwaysEmitIntoClient @inline(__always)
  nonisolated(nonsending) final func waitForTurn(ofSubmitted job: Job) async {
    await Suspension.park { self.park(job, $0) }
    begin(job)
  }

  /// Returns whether the job begins.
  ///
  /// Not inlined: the locals for events would enlarge the frame of a waiting task.
  @discardableResult
  @usableFromInline @inline(never)
  final func begin(_ job: Job) -> Bool {
    if let why = locked({ $0.begin(job) }) {
      // A caller reports its own leaving, because the thread that cancels it holds a lock of its task.
      if !job.isSubmitted, why.isOwn { report(.rejected(why), job) }
      return false
    }
    report(.began, job)
    return true
  }

  /// Returns the pin, if any, that the holder must still wait for.
  @usableFromInline @inline(never)
  package final func end(_ job: Job) -> EscalationPin? {
    var effects = Effects()
    let pin = locked { state in
      state.end(job, &effects)
      return job.pin
    }
    effects.carryOut(on: self)
    return pin
  }

  @inline(never)
  final func endLight() -> EscalationPin? { atTheDoor { $0.leave() }.flatMap { end($0) } }

  /// Stores where the caller's task was started, to report a long turn.
  @usableFromInline
  package final func noteStart(of caller: Waiter) {
    if let reporter, reporter.limitsTurns, let turn = TurnMarker.doubtful {
      locked { _ in caller.startedIn = turn }
    }
  }
}

// MARK: - Carrying out

extension Line {
  /// Reports and settles the rejected jobs before it resumes callers of `drain`.
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

  @usableFromInline final func carryOut(_ withdrawal: Withdrawal) {
    tell(withdrawal.rejected, .withdrawn)
    withdrawal.effects.carryOut(on: self)
    withdrawal.wake?()
  }

  /// Exempts a held-back job, or the one that has its place now, from the pause, because a running job waits for it.
  ///
  /// That was decided earlier, under the graph's lock. Once no caller waits for what runs, nothing may begin.
  final func letPass(_ job: Job) {
    locked { $0.isPauseAwaited ? $0.letPass(job.newest) : Effects() }.carryOut(on: self)
  }
}

// MARK: - Submitted jobs

extension Line {
  /// Stores the task, which may already be cancelled or raised; a raised one begins no earlier than it is raised.
  @usableFromInline
  package final func attach(_ task: Task<Void, Never>, to job: Job) {
    let attachment = locked { _ in job.attach(task) }
    if attachment.isCancelled { task.cancel() }
    if attachment.raisedTo > job.priority {
      task.escalate(to: attachment.raisedTo)
      locked { _ in job.endAttaching() }?.resume()
    }
    attachment.suspension?.resume()
  }

  /// Cancels the job; if it will not run, its handles are then settled.
  final func cancel(_ job: Job) {
    let (departure, task) = locked { state in
      let departure = state.leave(job, .cancelled)
      if case .running = departure { job.isCancelled = true }
      return (departure, job.handle)
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

  @usableFromInline final func escalate(_ job: Job, to priority: UInt8) {
    carryOut { state, effects in
      if job.isPresent { state.raise(job, to: priority, &effects) } else { job.raisedTo = max(job.raisedTo, priority) }
    }
  }
}
