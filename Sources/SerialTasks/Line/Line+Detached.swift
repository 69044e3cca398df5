// A detached job gets a task when its turn has come. If the turn then passes to another one, that runs in the same
// task, which saves creating one; but not in a task that was cancelled.

extension Line {
  @usableFromInline @inline(never)
  final func start(_ job: Submission) {
    let task = Task.detached(name: job.name, priority: TaskPriority(rawValue: job.priority)) {
      await self.run(from: job)
    }
    attach(task, to: job)
  }

  /// After so many jobs, another task is created, to yield the thread.
  private static var mostInOneTask: Int { 256 }

  private nonisolated(nonsending) func run(from first: Submission) async {
    var (next, count): (Submission?, Int) = (first, 1)
    // The task must be known first, or a cancellation of the job would not reach it.
    await Suspension.park { self.park(first, $0) }
    guard begin(first) else { return }
    let turns = DetachedTurns()
    await TurnMarker.key.withValue(TurnMarker(of: turns)) {
      let task = TaskReference.current
      while let job = next {
        // `job.turn ?? self` would retain the line.
        if let turn = job.turn { turns.begin(turn) } else { turns.begin(self) }
        await job.body(job)
        turns.end()
        if reports { report(job.end, job) }
        job.publish()
        next = end(job, after: &count, in: task)
      }
    }
  }

  /// Returns the next job if it has begun in the same task, after `count` others.
  private final func end(_ job: Submission, after count: inout Int, in task: TaskReference?) -> Submission? {
    // No other job runs in a task that a job has cancelled itself.
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
  /// Returns whether the job may run in the task of the other, without a difference to users.
  ///
  /// An earlier cancellation of the other prevents that, by the same lock; at a later one, the other job has ended.
  final func mayRun(inTaskOf other: Submission) -> Bool {
    // It was raised no higher than the other job, for which it waited.
    !other.isCancelled && name == other.name && priority == other.priority
  }
}
