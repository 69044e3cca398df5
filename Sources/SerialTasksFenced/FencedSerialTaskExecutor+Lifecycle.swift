import SerialTasks

// MARK: - Ending

extension FencedSerialTaskExecutor {
  /// Rejects every later job of any key with `JobRejection.closed`.
  ///
  /// Jobs that have a place still run. Kept access is released, and none is kept from now on. A closed executor cannot be opened
  /// again. O(keys).
  public func close() {
    lines.close()
    desk.close()
  }

  /// Withdraws every job that has not begun, and cancels the running jobs that were submitted.
  ///
  /// Withdrawn jobs, including jobs that wait for access, are rejected with `JobRejection.withdrawn`, and requests for access
  /// that no job needs any more are cancelled. A running job of ``enqueue(for:name:waitingAtMost:_:)`` belongs to its caller's
  /// task and is not affected. Kept access stays kept. Later jobs are accepted as before. O(jobs).
  ///
  /// To log out, call `shutDown(within: .zero)`: when it has returned, no job runs, none can begin, and this process has access
  /// to no key.
  public func cancelAll() { desk.withdraw { lines.cancelAll() } }

  /// Withdraws the jobs of one key that have not begun, and cancels its running job if it was submitted.
  ///
  /// Otherwise like ``cancelAll()``.
  ///
  /// - Parameter key: The key whose jobs to withdraw.
  public func cancelAll(for key: Key) { desk.withdraw(key) { lines.cancelAll(for: key) } }

  /// Returns when no job of any key waits or runs, and all access has been released, including kept access.
  ///
  /// This call also waits for jobs that arrive in the meantime; call ``close()`` first if more may keep arriving.
  ///
  /// - **Order:** all callers of `drain()` are resumed together. A caller that finds another job waits again.
  /// - **Cancellation** of the calling task: *before* the call, `drain()` throws at once and drains nothing, unless there is
  ///   nothing to wait for; *waiting*, it stops waiting at once. The jobs are not affected.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job of any key, this call throws `JobRejection.deadlock`.
  /// - **Complexity:** O(jobs).
  ///
  /// - Throws: `CancellationError`, or `JobRejection.deadlock`.
  public nonisolated(nonsending) func drain() async throws {
    desk.beginDrain()
    defer { desk.endDrain() }
    // A job may have come while access was being released.
    repeat {
      try await lines.drain()
      try await desk.requests.drain()
    } while !desk.isIdle()
  }

  /// Returns when no job of the key waits or runs, and access to the key has been released.
  ///
  /// Like ``drain()``, except that it waits when it is called from inside a job of another key. A cycle is then not detected if a
  /// job that has access to the drained key waits for the key of the calling job: do not drain a key inside a job for which the
  /// jobs of that key may wait.
  ///
  /// - Parameter key: The key whose jobs to wait for.
  /// - Throws: `CancellationError`, or `JobRejection.deadlock`.
  public nonisolated(nonsending) func drain(for key: Key) async throws {
    let drained = desk.beginDrain(key)
    defer { desk.endDrain(drained) }
    repeat {
      try await lines.drain(for: key)
      try await desk.requests.drain(for: key)
    } while !desk.isIdle(key)
  }
}

// MARK: - Looking

extension FencedSerialTaskExecutor {
  /// The number of waiting and running jobs of all keys in this process, and the executor's settings, at one moment.
  ///
  /// The first job of a line counts as running while it waits for access; for the capacity, it counts as waiting. O(1).
  public var snapshot: ExecutorSnapshot { lines.snapshot }

  /// Returns the number of waiting jobs of the key in this process, and whether one runs, at one moment.
  ///
  /// The first job of the line counts as running while it waits for access. O(1).
  ///
  /// - Parameter key: The key whose jobs to count.
  /// - Returns: What ``snapshot`` of an executor for this key alone would be.
  public func snapshot(for key: Key) -> ExecutorSnapshot { lines.snapshot(for: key) }

  /// Returns whether the calling code runs in a job of the key, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job.
  ///
  /// - Parameter key: The key that the job belongs to.
  /// - Returns: Whether the calling code certainly has the turn of the key.
  public func isInJob(for key: Key) -> Bool { lines.isInJob(for: key) }

  /// The number of keys with jobs, access, or callers that are about to leave.
  package var busyKeys: Int { desk.busyKeys }

  /// The number of keys to which this process has access.
  package var heldKeys: Int { desk.heldKeys }
}
