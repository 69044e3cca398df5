// What callers write at first. None of it exists: each leads to the call that does.

extension CoalescingTaskExecutor {
  /// Names the key that a write touches without its label.
  @available(
    *, unavailable, message: "a write names all keys that it touches, with a label: write(touching: [key]) { … }"
  )
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key that a write touches without its label.
  @available(
    *, unavailable, message: "a write names all keys that it touches, with a label: write(touching: [key]) { … }"
  )
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    _ key: Key, name: String? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success { fatalError("unavailable") }

  /// Names the key that a write touches by another label.
  @available(*, unavailable, message: "a write names all keys that it touches: write(touching: [key]) { … }")
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    for key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names one key instead of a sequence.
  @available(*, unavailable, message: "the keys are a sequence, also if it is one: write(touching: [key]) { … }")
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    touching key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the key that a write touches without its label.
  @available(
    *, unavailable, message: "a write names all keys that it touches, with a label: submitWrite(touching: [key]) { … }"
  )
  public func submitWrite<Success: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }

  /// Names one key instead of a sequence.
  @available(*, unavailable, message: "the keys are a sequence, also if it is one: submitWrite(touching: [key]) { … }")
  public func submitWrite<Success: Sendable>(
    touching key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }

  /// Names the key of a read with a label that it has not.
  @available(*, unavailable, message: "the key of a read has no label: read(key) { … }")
  public nonisolated(nonsending) func read<Value: Sendable>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value { fatalError("unavailable") }

  /// Names the keys that a write touches without their label.
  @available(
    *, unavailable, message: "the keys that a write touches have a label: write(touching: keys) { … }"
  )
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    _ keys: [Key], name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Names the keys that a write touches by another label.
  @available(*, unavailable, message: "a write names all keys that it touches: write(touching: keys) { … }")
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    for keys: [Key], name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Calls a job as ``SerialTaskExecutor`` does.
  @available(*, unavailable, message: "a job of this executor is a write or a read: write { … }, read(key) { … }")
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Submits a job as ``SerialTaskExecutor`` does.
  @available(
    *, unavailable, message: "a job of this executor is a write or a read: submitWrite { … }, submitRead(key) { … }"
  )
  public func submit<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }
}
