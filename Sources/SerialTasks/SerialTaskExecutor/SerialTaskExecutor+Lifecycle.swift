// MARK: - Holding, ending

extension SerialTaskExecutor {
  /// Lets the running job end and starts no other until ``resume()``.
  ///
  /// Jobs are still let in, and wait. A job that had been granted its turn and has not begun waits again, as the first, also
  /// if that is one more than the capacity. An executor that is let go resumes.
  public nonisolated func pause() { line.pause() }

  /// Ends a ``pause()``.
  public nonisolated func resume() { line.resume() }

  /// Turns away every later job with ``JobRejection/closed``.
  ///
  /// Jobs that have a place still run. There is no way back.
  public nonisolated func close() { line.close() }

  /// Turns away every job that has not begun with ``JobRejection/withdrawn``, and cancels the running job if it was submitted.
  ///
  /// A running job of ``enqueue(name:_:)`` belongs to its caller's task and is not touched. Later jobs are let in as before.
  /// O(jobs that wait).
  ///
  /// `close()`, `cancelAll()`, `try await drain()` is the log-out: after it, nothing lands.
  public nonisolated func cancelAll() { line.withdrawAll() }

  /// Returns when no job waits or runs.
  ///
  /// Completion handlers of all jobs before that moment have been called, and the events of those that ran. Jobs that come meanwhile are waited for
  /// too, so ``close()`` first if they may keep coming. While the executor is paused and jobs wait, so does this.
  ///
  /// - **Order:** all who drain are resumed together.
  /// - **Cancellation** of the calling task: it stops waiting at once, and the jobs are not touched. So in a task that was
  ///   cancelled before, this throws at once and drains nothing, unless nothing waits or runs: where a service is stopped by
  ///   force, drain in a task of its own.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job it throws ``JobRejection/deadlock(_:)``.
  /// - **Priority:** it raises what runs and waits when it is called, as far as that has a task of its own, and the caller
  ///   whose job runs, to the priority of the calling task.
  /// - **Complexity:** O(1), and O(jobs that wait) if it raises them.
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension SerialTaskExecutor {
  /// How many jobs wait, whether one runs, and how the executor was set, at one moment.
  ///
  /// O(1).
  public nonisolated var snapshot: ExecutorSnapshot { line.snapshot }

  /// Whether the calling code runs in a job of this executor, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job, and in `onEvent` and completion handlers.
  public nonisolated var isInJob: Bool { HeldTurn.isInside(line) }

  /// Stops the program unless the calling code runs in a job of this executor.
  ///
  /// For functions that are only right inside a turn; also in release builds, like `preconditionIsolated` of an actor.
  ///
  /// - Parameters:
  ///   - message: Said in addition to what was expected.
  ///   - file: The file to name.
  ///   - line: The line to name.
  public nonisolated func preconditionInJob(
    _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    if isInJob { return }
    let detail = message()
    fatalError(
      "expected to run in a job of \(self.line.label)\(detail.isEmpty ? "" : ": \(detail)")", file: file, line: line)
  }
}
