// What callers write at first. None of it exists: each leads to the call that does.

extension SerialTaskExecutor {
  /// Names the job without its label.
  @available(*, unavailable, message: "a job's name has a label: enqueue(name: \"…\") { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ name: String, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Limits the wait by another name.
  @available(
    *, unavailable,
    message: "a limit on waiting is enqueue(waitingAtMost:); to limit the job as well, cancel the task that calls"
  )
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, timeout: Duration, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }
}
