// Jobs without a task while they wait.
//
// A task is created when the turn of such a job has come. If the turn then passes to another one, that runs in the same
// task, which saves creating and scheduling one. Each job is still cancelled and raised individually: a task that was
// cancelled for one job, or by it, runs no other.

extension Line {
  /// Creates a task for a job whose turn has come.
  @usableFromInline @inline(never)
  final func start(_ job: Submission) {
    let task = Task.detached(name: job.name, priority: TaskPriority(rawValue: job.priority)) {
      await self.run(from: job)
    }
    attach(task, to: job)
  }

  /// The number of jobs that a task runs before another is created, to yield the thread.
  private static var mostInOneTask: Int { 256 }

  /// Runs the job, and later ones that may run in the same task.
  private nonisolated(nonsending) func run(from first: Submission) async {
    var (next, count): (Submission?, Int) = (first, 1)
    // The task must be known first, or a cancellation of the job would not reach it.
    await Suspension.park { self.park(first, $0) }
    guard begin(first) else { return }
    let turns = DetachedTurns()
    await TurnMarker.key.withValue(TurnMarker(of: turns)) {
      let task = TaskReference.current
      while let job = next {
        // Not `job.turn ?? self`, which retains the line.
        if let turn = job.turn { turns.begin(turn) } else { turns.begin(self) }
        await job.body(job)
        turns.end()
        if reports { report(job.end, job) }
        job.publish()
        next = end(job, after: &count, in: task)
      }
    }
  }

  /// Ends the turn of a job, and passes it on; `count` is the number of jobs that have run in the current task.
  ///
  /// - Returns: The job that has the turn and has begun, if it runs in the same task.
  private final func end(_ job: Submission, after count: inout Int, in task: TaskReference?) -> Submission? {
    // A job may also cancel its own task directly. Then no other job runs in it.
    let next = end(job, mayGoOn: count < Line.mostInOneTask && !(task?.isCancelled ?? Task.isCancelled))
    count += 1
    return next
  }

  package final func end(_ job: Submission, mayGoOn: Bool) -> Submission? {
    var effects = Effects()
    let next = locked { state -> Submission? in
      let task = job.handle.take()
      state.end(job, &effects)
      guard mayGoOn, let next = effects.takeStarted(inTaskOf: job, task) else { return nil }
      _ = state.begin(next)
      return next
    }
    // First: it has begun, and code called meanwhile must see that.
    if let next { report(.began, next) }
    effects.carryOut(on: self)
    return next
  }
}

extension Submission {
  /// Returns whether the job may run in the task of the other: the name and the priority are equal, and the task was not
  /// cancelled for the other job; users cannot see a difference.
  ///
  /// Cancelling a job is decided under the same lock: an earlier cancellation prevents the reuse, and at a later one, the
  /// other job has ended.
  final func mayRun(inTaskOf other: Submission) -> Bool {
    // It was raised no higher than the other job, for which it waited.
    !other.isCancelled && name == other.name && priority == other.priority
  }
}
