extension SerialTaskExecutor {
  /// Shows that a job's name needs a label.
  @available(*, unavailable, message: "a job's name has a label: enqueue(name: \"…\") { … }")
  @_alwaysEmitIntoClient public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ name: String, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Shows the name of the limit.
  @available(
    *, unavailable,
    message: "a limit on waiting is enqueue(waitingAtMost:); to limit the job as well, cancel the task that calls"
  )
  @_alwaysEmitIntoClient public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, timeout: Duration, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Shows the two ways in.
  @available(
    *, unavailable, message: "enqueue { … } waits for its job and returns the result; submit { … } returns at once"
  ) @_alwaysEmitIntoClient
  public nonisolated func run(_ job: () async throws -> Void) async throws { fatalError("unavailable") }

  /// Shows the two ways in.
  @available(
    *, unavailable, message: "enqueue { … } waits for its job and returns the result; submit { … } returns at once"
  ) @_alwaysEmitIntoClient
  public nonisolated func perform(_ job: () async throws -> Void) async throws { fatalError("unavailable") }

  /// Shows the two ways in.
  @available(*, unavailable, message: "no thread is blocked here: enqueue { … } in async code, submit { … } elsewhere")
  @_alwaysEmitIntoClient public nonisolated func sync(_ job: () throws -> Void) rethrows { fatalError("unavailable") }

  /// Shows that only a draft is delayed.
  @available(
    *, unavailable,
    message: "a job has no delay: sleep before you submit it, or in it; drafts are CoalescingTaskExecutor's"
  ) @_alwaysEmitIntoClient
  public nonisolated func submit(after delay: Duration, _ job: @Sendable () async throws -> Void) {
    fatalError("unavailable")
  }

  /// Shows which call has a limit.
  @available(
    *, unavailable, message: "a limit on waiting is enqueue(waitingAtMost:); what is submitted waits as long as it must"
  ) @_alwaysEmitIntoClient
  public nonisolated func submit(waitingAtMost limit: Duration, _ job: @Sendable () async throws -> Void) {
    fatalError("unavailable")
  }
}
