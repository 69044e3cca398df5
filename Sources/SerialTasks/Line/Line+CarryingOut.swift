// What is done after the unlock: what the state decided is carried out.

/// What is to be done with the task that was made for a job.
struct Attachment: Sendable {
  let isCancelled: Bool
  let raisedTo: UInt8
  /// What was decided while the task was being made takes effect now.
  let suspension: Suspension?
}

// MARK: - Carrying out

extension Line {
  @usableFromInline
  package final func carryOut(_ effects: Effects) {
    if !effects.escalations.isEmpty { escalate(effects.escalations) }
    effects.resumed.resumeAll()
    if !effects.started.isEmpty { effects.started.forEach { start($0) } }
    effects.cancelled.forEach { $0.cancel() }
    effects.cancelledCallers.forEach { $0.cancel() }
  }

  @usableFromInline
  package final func escalate(_ escalations: Few<Escalation>) {
    escalations.forEach { escalation in
      switch escalation.target {
      case .caller(let pin): pin.escalate(to: escalation.priority)
      case .job(let job):
        // Its task is looked up now: it may have been found one since.
        locked { _ in job.escalate(to: escalation.priority) }?.escalate(to: escalation.priority)
      }
    }
  }

  /// Reports the rejected jobs and settles them, and only then lets callers of `drain` go on.
  final func tell(_ jobs: [Job], _ why: JobRejection) {
    for job in jobs {
      if reports {
        for (kind, caller, place) in job.endings(why) { report(kind, of: job, caller.name, place, by: caller) }
      }
      job.settle(rejected: why)
    }
    carryOut(locked { $0.told(jobs) })
  }

  final func carryOut(_ withdrawal: Withdrawal) {
    tell(withdrawal.rejected, .withdrawn)
    carryOut(withdrawal.effects)
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
      carryOut(effects)
    case .revoked:
      tell([job], .cancelled)
      task?.cancel()
    case .running: task?.cancel()
    case .gone: break
    }
  }

  final func isCancelled(_ job: Job) -> Bool { locked { _ in job.isCancelled } }

  /// Raises the submitted job, which a task of this priority awaits: neither it nor what is ahead of it should run at a lower one.
  final func escalate(_ job: Job, to priority: UInt8) { escalate(locked { $0.escalate(job, to: priority) }) }

  /// Notes that a task that has turns awaits the end of the job; returns whether one of them is of this line.
  final func isAwaited(_ job: Job) -> Bool {
    guard hasOwnTurn else { return false }
    carryOut(locked { $0.noteAwaited(job) })
    letPendingGoOn()
    return true
  }

  /// Notes that that task has the result, or has left.
  final func isAwaitedNoMore(_ job: Job) { locked { $0.noteAwaitedNoMore(job) } }

  /// Whether the running code certainly has a turn of this line.
  final var hasOwnTurn: Bool { HeldTurn.node { $0.resource === self } != nil }
}
