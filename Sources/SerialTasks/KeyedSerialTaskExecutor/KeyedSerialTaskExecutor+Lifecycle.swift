extension KeyedSerialTaskExecutor {
  /// Starts no further job of any key until ``resume()``, except calls made inside a running job.
  ///
  /// Otherwise like ``SerialTaskExecutor/pause()``, also for keys that are first used later. O(1).
  public func pause() { line.pause() }

  /// Ends the pause; pauses are not counted.
  public func resume() { line.resume() }

  /// Starts no further job of any key, and returns when none runs.
  ///
  /// Otherwise like ``SerialTaskExecutor/pauseAndWait()``.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    if let why = await line.pauseAndWait().why { throw JobRejection.untyped(why) }
  }

  /// Rejects every later job of any key with ``JobRejection/closed``, except calls made inside a running job.
  ///
  /// Jobs that have a place still run. O(1).
  public func close() { line.close() }

  /// Withdraws every job that has not begun, and cancels the running jobs that were submitted.
  ///
  /// Jobs are rejected in the order of their places. Otherwise like ``SerialTaskExecutor/cancelAll()``. O(jobs).
  public func cancelAll() { line.withdrawAll() }

  /// Does what ``cancelAll()`` does, for the jobs of one key.
  @_alwaysEmitIntoClient @inline(never) public func cancelAll(for key: Key) {
    let key = StableKey(key)
    let withdrawal = line.locked { state in line.keys[key].map { state.withdraw(from: $0) } }
    if let withdrawal { line.carryOut(withdrawal) }
  }

  /// Returns when all jobs that were accepted before the call have ended, whatever their keys.
  ///
  /// Like ``SerialTaskExecutor/drain()``, but O(waiting jobs). Inside a job of any key, it throws
  /// ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }

  /// Returns when all jobs of the key that were accepted before the call have ended.
  ///
  /// Otherwise like ``drain()``. Inside a job of another key, it waits, unless that wait leads back to the job, for
  /// example through a waiting job with both keys: then this call throws ``JobRejection/deadlock(_:)``.
  @_alwaysEmitIntoClient public nonisolated(nonsending) func drain(for key: Key) async throws {
    if let queue = line.drained(key), let why = await line.drain(queue) { throw JobRejection.untyped(why) }
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
  @_alwaysEmitIntoClient public func snapshot(for key: Key) -> ExecutorSnapshot { line.snapshot(of: StableKey(key)) }

  /// Returns whether the calling code runs in a job of the key; like ``SerialTaskExecutor/isInJob``.
  @_alwaysEmitIntoClient public func isInJob(for key: Key) -> Bool { line.isInside(key) }

  /// Stops the program, in release builds too, unless the calling code runs in a job of the key.
  @_alwaysEmitIntoClient
  public func preconditionInJob(
    for key: Key, _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    self.line.preconditionInJob(
      isInJob(for: key), of: self.line.label(Touched(key).names), message, file, line)
  }
}
