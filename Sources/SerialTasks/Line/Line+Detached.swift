// Jobs that have no task of their own while they wait.
//
// A task is made for one when its turn has come. If the turn then goes to another such job, that runs in the same task, which
// saves making and scheduling one: neighbours are run by one task, in a loop. Each job is still cancelled and raised by
// itself: a task that was cancelled for one job, or by it, runs no other.

extension Line {
  /// Finds a task for a job whose turn has come.
  @usableFromInline
  final func start(_ job: Submission) {
    let task = Task.detached(name: job.name, priority: TaskPriority(rawValue: job.priority)) {
      await self.run(from: job)
    }
    attach(task, to: job)
  }

  /// How many jobs a task runs before another is made, so that others may use the thread.
  private static var mostInOneTask: Int { 256 }

  /// Runs the job, and those that have the turn after it and may run in the same task.
  private nonisolated(nonsending) func run(from first: Submission) async {
    var (next, count): (Submission?, Int) = (nil, 1)
    // Not before it is known which task this is, or who cancels the job would not reach it.
    await Suspension.park { self.park(first, $0) }
    next = begin(first) ? first : nil
    while let job = next { next = await runInMarker(from: job, &count) }
  }

  /// Runs the job, and those that have the turn after it, for as long as one marker can mark the turns of all of them.
  ///
  /// - Returns: The job that has a turn now and has begun, and needs another marker.
  private nonisolated(nonsending) func runInMarker(from first: Submission, _ count: inout Int) async -> Submission? {
    let marker = if let turn = first.turn { TurnMarker(ofDetached: turn) } else { TurnMarker(ofDetached: self) }
    return await TurnMarker.key.withValue(marker) {
      let (bound, task) = (BoundMarker(marker), TaskReference.current)
      var job = first
      while true {
        await job.body(job)
        bound.end()
        if reports { report(job.end, job) }
        job.publish()
        guard let next = end(job, after: &count, in: task) else { return nil }
        // Not `next.turn ?? self`, which retains the line.
        if let turn = next.turn {
          if !bound.begin(turn) { return next }
        } else if !bound.begin(self) {
          return next
        }
        job = next
      }
    }
  }

  /// Ends the turn of a job, and hands it on; `count` is how many have run in the current task.
  ///
  /// - Returns: The job that has a turn now and has begun, if it is to run in the same task.
  private final func end(_ job: Submission, after count: inout Int, in task: TaskReference?) -> Submission? {
    // A job may also cancel its own task, directly and not through its handle: then no other runs in it.
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
    // First: it has begun, and what is called meanwhile finds it so.
    if let next { report(.began, next) }
    effects.carryOut(on: self)
    return next
  }
}

extension Submission {
  /// Returns whether a user could not tell the difference: the task has the right name and priority, and was not cancelled for the
  /// other.
  ///
  /// Cancelling a job is decided under the lock of the line, as this is: if it comes first, the task is not used again, and if
  /// it comes later, the other job has ended.
  final func mayRun(inTaskOf other: Submission) -> Bool {
    // It was raised no higher than the other, which it waited for.
    !other.isCancelled && name == other.name && priority == other.priority
  }
}
