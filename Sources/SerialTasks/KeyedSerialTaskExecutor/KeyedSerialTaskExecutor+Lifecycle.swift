// MARK: - Holding, ending

extension KeyedSerialTaskExecutor {
  /// Lets the running jobs end, and starts no other job of any key until ``resume()``.
  ///
  /// Jobs are still accepted, and wait, including those of keys that are first used later. A job that was granted its turn
  /// before may still begin. An executor that is released resumes. O(1).
  public func pause() { line.pause() }

  /// Ends the pause, even if other code began it: pauses are not counted.
  public func resume() { line.resume() }

  /// Lets the running jobs end, starts no other job of any key, and returns when none runs, whatever waits.
  ///
  /// Call it before something that no job may see half done: the app is suspended, the file is moved. The executor stays
  /// paused, as after ``pause()``, until ``resume()`` is called.
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

  /// Rejects every later job of any key with ``JobRejection/closed``.
  ///
  /// Jobs that have a place still run. A closed executor cannot be opened again. O(1).
  public func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels the running jobs that were submitted.
  ///
  /// The withdrawn jobs are rejected with ``JobRejection/withdrawn``. A running job of ``enqueue(for:name:waitingAtMost:_:)``
  /// belongs to its caller's task and is not affected. Later jobs are accepted as before. They are withdrawn in the order of
  /// their places. O(jobs).
  ///
  /// To end everything, as at a log-out, call ``shutDown(within:)`` with `.zero`.
  public func cancelAll() { line.withdrawAll() }

  /// Withdraws the jobs of one key that have not begun, and cancels its running job if that was submitted.
  ///
  /// Like ``cancelAll()`` in every other respect.
  ///
  /// - Parameter key: The key whose jobs are no longer wanted.
  public func cancelAll(for key: Key) { line.withdrawAll(of: key) }

  /// Returns when all jobs that were accepted before the call have ended, whatever their keys.
  ///
  /// By then their completion handlers have been called, and the events of those that ran have been reported. Jobs that come
  /// later do not prolong it. While the executor is paused and such jobs wait, this call waits too.
  ///
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once and drains nothing, unless nothing
  ///   waits or runs; *waiting*, it stops waiting at once. The jobs are not affected. Where a service is stopped by force,
  ///   drain in a task of its own.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job of any key, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Priority:** the jobs that run and wait at the time of the call, as far as they have tasks of their own, and the
  ///   callers whose jobs run, are raised to the priority of the calling task.
  /// - **Complexity:** O(waiting jobs).
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }

  /// Returns when all jobs of the key that were accepted before the call have ended.
  ///
  /// Otherwise like ``drain()``. Inside a job of another key, it waits. If that wait leads back to the job, for example because a
  /// job over both keys waits, this call throws ``JobRejection/deadlock(_:)``.
  ///
  /// - Parameter key: The key whose jobs to wait for.
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain(for key: Key) async throws {
    if let why = await line.drain(key) { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension KeyedSerialTaskExecutor {
  /// The number of waiting and running jobs of all keys, and the executor's settings, at one moment.
  ///
  /// O(1).
  public var snapshot: ExecutorSnapshot { line.snapshot }

  /// Returns the number of waiting jobs of the key, whether one runs, and the executor's settings, at one moment.
  ///
  /// O(1). Taking a snapshot of a key does not make the key busy.
  ///
  /// - Parameter key: The key whose jobs to count.
  /// - Returns: What ``SerialTaskExecutor/snapshot`` of an executor for this key alone would be.
  public func snapshot(for key: Key) -> ExecutorSnapshot { line.snapshot(of: StableKey(key)) }

  /// The number of keys that jobs touch, and of keys that the table has room for.
  package var size: (busy: Int, capacity: Int) { line.size }

  /// Returns whether the calling code runs in a job of the key, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job. `onEvent` and completion handlers run in
  /// the code that causes them: there it is `true` if that code runs in a job, for example in one that submits or cancels
  /// another job.
  ///
  /// - Parameter key: The key that the job belongs to.
  /// - Returns: Whether the calling code certainly has the turn of the key.
  public func isInJob(for key: Key) -> Bool { line.isInside(key) }

  /// Stops the program unless the calling code runs in a job of the key.
  ///
  /// Use it in functions that are only correct inside a turn. Like an actor's `preconditionIsolated`, it also checks in
  /// release builds.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - message: Printed in addition to what was expected.
  ///   - file: The file name to print.
  ///   - line: The line number to print.
  public func preconditionInJob(
    for key: Key, _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(
      isInJob(for: key), of: self.line.label(Touched(key).names), message, file, line)
  }
}
