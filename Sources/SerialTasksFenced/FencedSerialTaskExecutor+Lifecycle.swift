// MARK: - Ending

extension FencedSerialTaskExecutor {
  /// Rejects every later job of any key with `JobRejection.closed`, except calls made inside a running job.
  ///
  /// Jobs that have a place still run. Kept access is released. O(keys).
  public func close() {
    lines.close()
    desk.close()
  }

  /// Withdraws every job that has not begun, and cancels the running jobs that were submitted.
  ///
  /// This includes jobs that wait for access. Requests that no job needs are cancelled; kept access stays kept.
  /// Otherwise like `SerialTaskExecutor.cancelAll()`. O(jobs).
  public func cancelAll() { desk.withdraw { lines.cancelAll() } }

  /// Does what ``cancelAll()`` does, for the jobs of one key.
  public func cancelAll(for key: Key) { desk.withdraw(key) { lines.cancelAll(for: key) } }

  /// Returns when all jobs that were accepted before this call have ended, and their access has been released,
  /// including kept access.
  ///
  /// Later jobs request new access while this call waits. Inside a job of any key, it throws `JobRejection.deadlock`.
  /// Otherwise like `SerialTaskExecutor.drain()`, but O(jobs and keys).
  public nonisolated(nonsending) func drain() async throws {
    let drain = desk.beginDrain()
    defer { desk.endDrain(drain) }
    try await lines.drain()
    if let why = await desk.released(drain) { throw FencedRejection.rejected(why).untyped }
  }

  /// Does what ``drain()`` does, for the jobs of one key; inside a job of another key, it waits.
  public nonisolated(nonsending) func drain(for key: Key) async throws {
    let drain = desk.beginDrain(key)
    defer { desk.endDrain(drain) }
    try await lines.drain(for: key)
    if let why = await desk.released(drain) { throw FencedRejection.rejected(why).untyped }
  }
}

// MARK: - Looking

extension FencedSerialTaskExecutor {
  /// The number of waiting and running jobs of all keys in this process, and the executor's settings.
  ///
  /// A job that waits for access counts as running; for the capacity, it counts as waiting. O(1).
  public var snapshot: ExecutorSnapshot { lines.snapshot }

  /// Returns the ``snapshot`` of one key.
  ///
  /// O(1).
  public func snapshot(for key: Key) -> ExecutorSnapshot { lines.snapshot(for: key) }

  /// Returns whether the calling code runs in a job of the key; like `SerialTaskExecutor.isInJob`.
  public func isInJob(for key: Key) -> Bool { lines.isInJob(for: key) }

  /// Includes keys with access, or with callers that are about to leave.
  package var busyKeys: Int { desk.busyKeys }

  package var heldKeys: Int { desk.heldKeys }
}
