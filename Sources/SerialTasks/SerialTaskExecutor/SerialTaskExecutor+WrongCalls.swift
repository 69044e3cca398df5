// Common mistakes. Each overload is unavailable, and its message shows the right call.

extension SerialTaskExecutor {
  /// Shows that a job's name needs a label.
  @available(*, unavailable, message: "a job's name has a label: enqueue(name: \"…\") { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ name: String, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Shows the name of the limit.
  @available(
    *, unavailable,
    message: "a limit on waiting is enqueue(waitingAtMost:); to limit the job as well, cancel the task that calls"
  )
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, timeout: Duration, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }
}
