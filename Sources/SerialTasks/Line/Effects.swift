/// What a decision under a lock asks for, carried out after the unlock, in the order of these fields.
@usableFromInline
package struct Effects: Sendable {
  /// Raised first: a job should begin with the priority that it was raised to.
  package var escalations = Few<Escalation>.none
  /// Callers and tasks that go on, in this order.
  @usableFromInline package var resumed = Few<Suspension>.none
  /// Jobs that have their turn, and no task yet.
  package var started = Few<Submission>.none
  /// Tasks to be cancelled, last of all: what an operation does when it is cancelled may take its time.
  package var cancelled = Few<Task<Void, Never>>.none
  /// Callers whose jobs run, to be cancelled with their tasks.
  package var cancelledCallers = Few<EscalationPin>.none
  /// What is released with this value, outside the lock.
  package var released = Few<any AnyObject & Sendable>.none

  @usableFromInline package init() {}

  /// Lets the waiter go on; one that has not parked yet finds the decision when it does.
  @usableFromInline
  package mutating func resume(_ waiter: Waiter) { resumed.append(waiter: waiter) }

  /// Lets all callers of `drain` go on.
  package mutating func resumeAll(_ drainers: inout WaiterList) {
    drainers.removeAll { drainer in
      drainer.state = .granted
      resume(drainer)
    }
  }

  /// Lets the callers of `pauseAndWait` go on: nothing runs, or, if there is a reason, the pause is over.
  package mutating func resumePausers(of drainers: inout WaiterList, rejecting why: JobRejection? = nil) {
    for waiter in drainers.elements where waiter.pauses {
      drainers.remove(waiter)
      waiter.state = why.map { .rejected($0) } ?? .granted
      resume(waiter)
    }
  }

  /// Lets a job go on that was granted its turn, or finds it a task.
  mutating func grant(_ job: Job) {
    if let job = job.unstarted { started.append(job) } else { job.resume(into: &self) }
  }

  /// Takes out a job that may run in the task of one that has just ended, and gives it that task.
  mutating func takeStarted(inTaskOf job: Submission, _ task: Task<Void, Never>?) -> Submission? {
    guard let next = started.removeFirst(where: { $0.mayRun(inTaskOf: job) }) else { return nil }
    next.handle = task
    next.awaitsTask = false
    return next
  }
}
