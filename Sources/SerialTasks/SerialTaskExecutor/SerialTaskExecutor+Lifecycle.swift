extension SerialTaskExecutor {
  /// Starts no further job until ``resume()``.
  ///
  /// The running job continues. Jobs are still accepted, and wait. A job whose turn was already granted may still
  /// begin. Releasing the executor ends the pause.
  public nonisolated func pause() { line.pause() }

  /// Ends the pause, even if other code began it: pauses are not counted.
  public nonisolated func resume() { line.resume() }

  /// Starts no further job, and returns when none runs and the completion handlers have been called.
  ///
  /// Call it before suspending the app or moving a file. The executor stays paused until ``resume()``.
  ///
  /// ```swift
  /// try await writes.pauseAndWait()
  /// defer { writes.resume() }
  /// try await store.move(to: url)  // nothing reads or writes it meanwhile
  /// ```
  ///
  /// While this call waits, jobs that a running job waits for, through a handle, another executor or a shared
  /// operation, still begin. Exception: a wait with a limit may last until the limit has passed.
  ///
  /// Of several executors, pause the one whose jobs call the others first. Otherwise a running job may wait for a
  /// paused executor, and this call for that job:
  ///
  /// ```swift
  /// try await files.pauseAndWait()  // its jobs call `notes`
  /// try await notes.pauseAndWait()
  /// ```
  ///
  /// - **Order:** all callers of `pauseAndWait()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call, the executor is not paused; *waiting*, this call stops
  ///   waiting at once, and ends the pause if it began it, even if other code has called ``pause()`` since.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call throws ``JobRejection/deadlock(_:)``, and the executor is not paused.
  /// - **Priority:** raises the running jobs to the priority of the calling task.
  /// - **Complexity:** O(jobs).
  ///
  /// - Throws: `CancellationError`; ``JobRejection/withdrawn`` if `resume()` is called before this call has returned;
  ///   or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    if let why = await line.pauseAndWait().why { throw JobRejection.untyped(why) }
  }

  /// Rejects every later job with ``JobRejection/closed``.
  ///
  /// Jobs that have a place still run. A closed executor cannot be reopened.
  public nonisolated func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels the running job if it was submitted.
  ///
  /// Withdrawn jobs are rejected with ``JobRejection/withdrawn``. A running job of ``enqueue(name:waitingAtMost:_:)``
  /// is part of its caller's task and not affected. O(waiting jobs).
  ///
  /// At a log-out, call ``shutDown(within:)`` with `.zero`.
  public nonisolated func cancelAll() { line.withdrawAll() }

  /// Returns when all jobs that were accepted before the call have ended.
  ///
  /// By then their completion handlers have been called, also those on the main actor, and their events reported. Later
  /// jobs do not prolong the call; a pause that holds such jobs back does.
  ///
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once, unless nothing waits or runs;
  ///   *waiting*, it stops waiting at once. The jobs are not affected.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Priority:** raises the tasks of the jobs that run and wait, and the caller whose job runs, to the priority of
  ///   the calling task.
  /// - **Complexity:** O(1), and O(waiting jobs) if it raises them.
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension SerialTaskExecutor {
  /// The number of waiting jobs, whether a job runs, and the executor's settings.
  ///
  /// O(1).
  public nonisolated var snapshot: ExecutorSnapshot { line.snapshot }

  /// Whether the calling code runs in a job of this executor, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job. `onEvent` and completion handlers
  /// run in the code that causes them: `true` if that code runs in a job.
  public nonisolated var isInJob: Bool { HeldTurn.isInside(line) }

  /// Stops the program, in release builds too, unless the calling code runs in a job of this executor.
  public nonisolated func preconditionInJob(
    _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(isInJob, of: self.line.label, message, file, line)
  }
}
