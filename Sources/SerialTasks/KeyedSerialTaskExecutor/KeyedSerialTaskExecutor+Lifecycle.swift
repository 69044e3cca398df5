// MARK: - Holding, ending

extension KeyedSerialTaskExecutor {
  /// Starts no further job of any key until ``resume()``, except calls made inside a running job.
  ///
  /// Running jobs continue.
  ///
  /// Jobs are still accepted, and wait, including jobs of keys that are first used later. A job whose turn was already
  /// granted may still begin. Releasing the executor ends the pause. O(1).
  public func pause() { line.pause() }

  /// Ends the pause, even if other code began it: pauses are not counted.
  public func resume() { line.resume() }

  /// Starts no further job of any key, and returns when none runs.
  ///
  /// Otherwise like ``SerialTaskExecutor/pauseAndWait()``. Of several executors, pause the one whose jobs call the others
  /// first.
  ///
  /// - Throws: `CancellationError`; ``JobRejection/withdrawn`` if `resume()` is called before this call has returned; or
  ///   ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    if let why = await line.pauseAndWait().why { throw JobRejection.untyped(why) }
  }

  /// Rejects every later job of any key with ``JobRejection/closed``, except calls made inside a running job.
  ///
  /// Jobs that have a place still run, with the calls made inside them. A closed executor cannot be reopened. O(1).
  public func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels the running jobs that were submitted.
  ///
  /// Withdrawn jobs are rejected with ``JobRejection/withdrawn``, in the order of their places. A running job of
  /// ``enqueue(for:name:waitingAtMost:_:)`` belongs to its caller's task and is not affected. Later jobs are accepted as
  /// before. O(jobs).
  ///
  /// To end everything, for example at a log-out, call ``shutDown(within:)`` with `.zero`.
  public func cancelAll() { line.withdrawAll() }

  /// Does what ``cancelAll()`` does, for the jobs of one key.
  public func cancelAll(for key: Key) { line.withdrawAll(of: key) }

  /// Returns when all jobs that were accepted before the call have ended, whatever their keys.
  ///
  /// Like ``SerialTaskExecutor/drain()``, but O(waiting jobs). Inside a job of any key, it throws
  /// ``JobRejection/deadlock(_:)``.
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }

  /// Returns when all jobs of the key that were accepted before the call have ended.
  ///
  /// Otherwise like ``drain()``. Inside a job of another key, it waits. If that wait leads back to the job, for example
  /// because a job with both keys waits, this call throws ``JobRejection/deadlock(_:)``.
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain(for key: Key) async throws {
    if let why = await line.drain(key) { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension KeyedSerialTaskExecutor {
  /// The number of waiting and running jobs of all keys, and the executor's settings.
  ///
  /// O(1).
  public var snapshot: ExecutorSnapshot { line.snapshot }

  /// Returns the ``snapshot`` of one key.
  ///
  /// O(1). Taking it does not make the key busy.
  public func snapshot(for key: Key) -> ExecutorSnapshot { line.snapshot(of: StableKey(key)) }

  /// The number of keys that jobs touch, and of keys that the table has room for.
  package var size: (busy: Int, capacity: Int) { line.size }

  /// Returns whether the calling code runs in a job of the key, or in a child task of one.
  ///
  /// See ``SerialTaskExecutor/isInJob`` for unstructured tasks and handlers.
  public func isInJob(for key: Key) -> Bool { line.isInside(key) }

  /// Stops the program, in release builds too, unless the calling code runs in a job of the key.
  public func preconditionInJob(
    for key: Key, _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(
      isInJob(for: key), of: self.line.label(Touched(key).names), message, file, line)
  }
}
