import SerialTasks

// MARK: - Waiting for a limited time

extension FencedSerialTaskExecutor {
  /// Runs the job when its key's turn has come and this process has access to the key, unless that takes longer than the limit.
  ///
  /// The limit is on both together: on the jobs ahead in this process, and on the other processes. A job that has not begun when
  /// it has passed never runs, and the call is rejected with `JobRejection.late`; a request for access that no other job wants is
  /// cancelled. A job that has begun is not limited. Like ``enqueue(for:name:_:)`` in every other respect, but that a call that
  /// ends by itself is never rejected as a deadlock. So this is the answer to the circles between processes that no process can
  /// see.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait, on the executor's clock. It must be long enough for the engine to grant access, because
  ///     a process keeps no access to a key without jobs. With `.zero` or less, no request is sent, and the call is nearly always
  ///     late.
  ///   - job: The closure to run. It is given the fence of the grant that it runs under.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; the engine's error, if access could not be had; ``AccessError``;
  ///   `CancellationError` if the task was cancelled before the job began; otherwise a `JobRejection`.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration,
    _ job: nonisolated(nonsending) (Fence) async throws -> Success
  ) async throws -> Success {
    try await enqueue(for: key, name: name, waitingAtMost: limit, rejectedAs: { $0.untyped }, job)
  }

  /// Runs the job when its key's turn has come and this process has access to the key, unless that takes longer than the limit,
  /// with exactly typed errors.
  ///
  /// A rejection, and the error of an engine that grants no access, are mapped to the caller's own error type. Like
  /// ``enqueue(for:name:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait, on the executor's clock. It must be long enough for the engine to grant access, because
  ///     a process keeps no access to a key without jobs. With `.zero` or less, no request is sent, and the call is nearly always
  ///     late.
  ///   - rejectedAs: Returns the error for a job that never ran.
  ///   - job: The closure to run. It is given the fence of the grant that it runs under.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    for key: Key, name: String? = nil, waitingAtMost limit: Duration, rejectedAs: (FencedRejection) -> Failure,
    _ job: nonisolated(nonsending) (Fence) async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let arrived = desk.arrive(key)
    defer { desk.leave(arrived) }
    let start = clock.now
    return try await lines.enqueue(
      for: key, name: name, waitingAtMost: limit, rejectedAs: { rejectedAs(.rejected($0)) }
    ) {
      () async throws(Failure) in
      try await desk.run(arrived, timeLeft: { limit - (clock.now - start) }, rejectedAs: rejectedAs, job)
    }
  }
}
