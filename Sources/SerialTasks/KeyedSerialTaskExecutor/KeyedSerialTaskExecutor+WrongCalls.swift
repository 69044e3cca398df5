// What callers write at first. None of it exists: each leads to the call that does.

extension KeyedSerialTaskExecutor {
  /// Names the limit as it was called before.
  @available(*, unavailable, message: "it limits jobs, and is called so: maximumConcurrentJobs")
  public convenience init(
    name: String? = nil, capacityPerKey: Int? = nil, maximumConcurrentKeys: Int?,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) { fatalError("unavailable") }

  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: enqueue(for: key) { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    _ key: Key, name: String? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success { fatalError("unavailable") }

  /// Names the key by another label.
  @available(*, unavailable, message: "the label of the key is for: enqueue(for: key) { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names several keys where one is meant.
  @available(*, unavailable, message: "a job of several keys is enqueue(forAll: keys) { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for keys: [Key], name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Gives a priority to a job of the caller's own task.
  @available(
    *, unavailable,
    message: "the job runs in the caller's task, with its priority; for another, submit(for:priority:) { … }"
  )
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, priority: TaskPriority?,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key without its label.
  @available(*, unavailable, message: "the key has a label: submit(for: key) { … }")
  public func submit<Success: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }

  /// Names the key by another label.
  @available(*, unavailable, message: "the label of the key is for: submit(for: key) { … }")
  public func submit<Success: Sendable>(
    key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }

  /// Names several keys where one is meant.
  @available(*, unavailable, message: "a job of several keys is submit(forAll: keys) { … }")
  public func submit<Success: Sendable>(
    for keys: [Key], name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }

  /// Limits the wait by another name.
  @available(
    *, unavailable,
    message: "a limit on waiting is enqueue(for:waitingAtMost:); to limit the job as well, cancel the task that calls"
  )
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    for key: Key, name: String? = nil, timeout: Duration, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }
}
