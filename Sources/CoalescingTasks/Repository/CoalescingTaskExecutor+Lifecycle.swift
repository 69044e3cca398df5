extension CoalescingTaskExecutor {
  /// Starts no further job until ``resume()``, except calls made inside a running job.
  ///
  /// Otherwise like `SerialTaskExecutor.pause()`. A running read can still be joined.
  public func pause() { line.pause() }

  /// Ends the pause; pauses are not counted.
  public func resume() { line.resume() }

  /// Starts no further read or write, and returns when none runs.
  ///
  /// A running read can still be joined, and calls made inside a running job still run. Drafts that wait for nothing
  /// else begin. Otherwise like `SerialTaskExecutor.pauseAndWait()`.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    if let why = await line.pauseAndWait().why { throw JobRejection.untyped(why) }
  }

  /// Rejects every later call with `JobRejection.closed`, even one that would join a read, except calls made inside a
  /// running job.
  ///
  /// Jobs that have a place still run, and drafts begin.
  public func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels running reads and the running submitted writes.
  ///
  /// Cancelled reads can no longer be joined; their callers get what these reads return or throw. Otherwise like
  /// `SerialTaskExecutor.cancelAll()`. O(waiting and running jobs).
  public func cancelAll() { line.withdrawAll() }

  /// Returns when all reads and writes that were accepted before the call have ended.
  ///
  /// Like `SerialTaskExecutor.drain()`, but O(waiting jobs). From inside a read or a write, it throws
  /// `JobRejection.deadlock(_:)`.
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

  /// Whether the calling code runs in a read or a write of this executor; like `SerialTaskExecutor.isInJob`.
  public var isInJob: Bool { HeldTurn.isInside(line) }

  /// Stops the program, in release builds too, unless the calling code runs in a read or a write of this executor.
  public func preconditionInJob(
    _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(isInJob, of: self.line.label, message, file, line)
  }
}
