// MARK: - Holding, ending

extension CoalescingTaskExecutor {
  /// Lets the running jobs end, and starts no other job until ``resume()``.
  ///
  /// Jobs are still accepted, and wait; a running read can still be joined. A job that was granted its turn before may still
  /// begin. An executor that is released resumes.
  public func pause() { line.pause() }

  /// Ends the pause, even if other code began it: pauses are not counted.
  public func resume() { line.resume() }

  /// Lets the running reads and writes end, starts no other, and returns when none runs, whatever waits.
  ///
  /// Call it before something that no job may see half done: the app is suspended, the file is moved. The executor stays
  /// paused, as after ``pause()``, until ``resume()`` is called.
  /// A running read can still be joined, and reads inside a running job still run.
  /// While this call waits, what a running job waits for still begins, through whatever it waits: a handle, another executor, an
  /// operation that callers share.
  ///
  /// - **Order:** all callers of `pauseAndWait()` are resumed together, when the last job has ended.
  /// - **Cancellation** of the calling task: *before* the call, the executor is not paused; *waiting*, this call stops waiting
  ///   at once, and ends the pause if it began it.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, this call throws ``JobRejection/deadlock(_:)``, and the executor is not paused.
  /// - **Priority:** the jobs that run are raised to the priority of the calling task.
  /// - **Complexity:** O(jobs).
  ///
  /// - Throws: `CancellationError`; ``JobRejection/withdrawn`` if `resume()` is called before the last job has ended, so that
  ///   this call cannot keep its promise; or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    if let why = await line.pauseAndWait().why { throw JobRejection.untyped(why) }
  }

  /// Rejects every later call with ``JobRejection/closed``, including a call that would join a read.
  ///
  /// Jobs that have a place still run, including the reads that they perform inside their turn. A closed executor cannot be
  /// opened again.
  public func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels what runs in a task of the executor: reads and a submitted write.
  ///
  /// The withdrawn jobs are rejected with ``JobRejection/withdrawn``. A running job of ``write(name:waitingAtMost:_:)`` belongs
  /// to its caller's task and is not affected. Cancelled reads can no longer be joined; their callers get what these reads
  /// return or throw. Later calls are accepted as before. O(waiting and running jobs).
  ///
  /// To end everything, as at a log-out, call ``shutDown(within:)`` with `.zero`.
  public func cancelAll() { line.withdrawAll() }

  /// Returns when all reads and writes that were accepted before the call have ended.
  ///
  /// By then their completion handlers have been called, and the events of those that ran have been reported. Jobs that come
  /// later do not prolong it. While the executor is paused and such jobs wait, this call waits too.
  ///
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once and drains nothing, unless nothing
  ///   waits or runs; *waiting*, it stops waiting at once. The jobs are not affected. Where a service is stopped by force,
  ///   drain in a task of its own.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, a read or a write, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Priority:** the jobs that run and wait at the time of the call, as far as they have tasks of their own, and the
  ///   caller whose job runs, are raised to the priority of the calling task.
  /// - **Complexity:** O(waiting jobs).
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension CoalescingTaskExecutor {
  /// The number of waiting jobs, what runs, and the executor's settings, at one moment.
  ///
  /// O(1).
  public var snapshot: ExecutorSnapshot { line.snapshot }

  /// Whether the calling code runs in a read or a write of this executor, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job. `onEvent` and completion handlers run in
  /// the code that causes them: there it is `true` if that code runs in a job, for example in one that submits or cancels
  /// another job.
  public var isInJob: Bool { HeldTurn.isInside(line) }

  /// Stops the program unless the calling code runs in a read or a write of this executor.
  ///
  /// Use it in functions that are only correct inside a turn. Like an actor's `preconditionIsolated`, it also checks in
  /// release builds.
  ///
  /// - Parameters:
  ///   - message: Printed in addition to what was expected.
  ///   - file: The file name to print.
  ///   - line: The line number to print.
  public func preconditionInJob(
    _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(isInJob, of: self.line.label, message, file, line)
  }
}
