// What callers write at first. None of it exists: each leads to the call that does.

extension SerialTaskExecutor {
  /// Names the job without its label.
  @available(*, unavailable, message: "a job's name has a label: enqueue(name: \"…\") { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ name: String, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names a key.
  @available(
    *, unavailable,
    message: "this executor has one line and no keys; for a line of each key, use KeyedSerialTaskExecutor"
  )
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: some Hashable, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Gives a priority to a job of the caller's own task.
  @available(
    *, unavailable,
    message: "the job runs in the caller's task, with its priority; for another, submit(priority:) { … }"
  )
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, priority: TaskPriority?, _ job: nonisolated(nonsending) () async throws -> Success
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
