// MARK: - Pausing, closing, draining

extension CoalescingTaskExecutor {
  /// Starts no further job until ``resume()``, except calls made inside a running job.
  ///
  /// Running jobs continue.
  ///
  /// Jobs are still accepted, and wait; a running read can still be joined. A job whose turn was already granted may still
  /// begin. Releasing the executor ends the pause.
  public func pause() { line.pause() }

  /// Ends the pause, even if other code began it: pauses are not counted.
  public func resume() { line.resume() }

  /// Starts no further read or write, and returns when none runs.
  ///
  /// A running read can still be joined, and calls made inside a running job still run. Drafts that wait for nothing else
  /// begin. Otherwise like `SerialTaskExecutor.pauseAndWait()`. Of several executors, pause the one whose jobs call the
  /// others first.
  ///
  /// - Throws: `CancellationError`; `JobRejection.withdrawn` if `resume()` is called before this call has returned; or
  ///   `JobRejection.deadlock(_:)`.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    if let why = await line.pauseAndWait().why { throw JobRejection.untyped(why) }
  }

  /// Rejects every later call with `JobRejection.closed`, even one that would join a read, except calls made inside a
  /// running job.
  ///
  /// Jobs that have a place still run, with the calls made inside them, and drafts begin. A closed executor cannot be
  /// reopened.
  public func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels running reads and the running submitted writes.
  ///
  /// Withdrawn jobs are rejected with `JobRejection.withdrawn`. A running job of ``write(name:waitingAtMost:_:)`` belongs
  /// to its caller's task and is not affected. Cancelled reads can no longer be joined; their callers get what these reads
  /// return or throw. Later calls are accepted as before. O(waiting and running jobs).
  ///
  /// To end everything, for example at a log-out, call ``shutDown(within:)`` with `.zero`.
  public func cancelAll() { line.withdrawAll() }

  /// Returns when all reads and writes that were accepted before the call have ended.
  ///
  /// Like `SerialTaskExecutor.drain()`, but O(waiting jobs). From inside a read or a write, it throws
  /// `JobRejection.deadlock(_:)`.
  ///
  /// - Throws: `CancellationError`, or `JobRejection.deadlock(_:)`.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }
}

// MARK: - Inspecting

extension CoalescingTaskExecutor {
  /// The number of waiting jobs, the running jobs, and the executor's settings.
  ///
  /// O(1).
  public var snapshot: ExecutorSnapshot { line.snapshot }

  /// Whether the calling code runs in a read or a write of this executor, or in a child task of one.
  ///
  /// See `SerialTaskExecutor.isInJob` for unstructured tasks and handlers.
  public var isInJob: Bool { HeldTurn.isInside(line) }

  /// Stops the program, in release builds too, unless the calling code runs in a read or a write of this executor.
  public func preconditionInJob(
    _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(isInJob, of: self.line.label, message, file, line)
  }
}
