extension CoalescingTaskExecutor {
  /// Shows that the keys of a write need a label.
  @available(
    *, unavailable, message: "a write names all keys that it touches, with a label: write(touching: [key]) { … }"
  )
  @_alwaysEmitIntoClient public nonisolated(nonsending) func write<Success: ~Copyable>(
    _ key: Key, name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success { fatalError("unavailable") }

  /// Shows how a write waits for newer ones.
  @available(
    *, unavailable,
    message: "a write that waits for newer ones is submitWrite(latest: key, touching: [key], after: …) { … }"
  )
  @_alwaysEmitIntoClient public func submitWrite<Success: Sendable>(
    touching keys: some Sequence<Key>, debounce: Duration, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> { fatalError("unavailable") }

  /// Shows how to get a result that is not older than the call.
  @available(
    *, unavailable,
    message:
      "a read never misses an earlier write; to join nothing older than this call, use TaskCoalescer.value(for:policy: .rerun)"
  )
  @_alwaysEmitIntoClient public nonisolated(nonsending) func read<Value: Sendable>(
    _ key: Key, fresh: Bool, name: String? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value { fatalError("unavailable") }

  /// Shows who has policies.
  @available(
    *, unavailable,
    message: "a read joins an equal one, unless a write stands between them; policies are TaskCoalescer's"
  )
  @_alwaysEmitIntoClient public nonisolated(nonsending) func read<Value: Sendable>(
    _ key: Key, policy: SharingPolicy,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value { fatalError("unavailable") }

  /// Shows which write can be replaced.
  @available(
    *, unavailable, message: "only what is submitted can be replaced: submitWrite(latest: key, touching: [key]) { … }"
  )
  @_alwaysEmitIntoClient public nonisolated(nonsending) func write(
    latest key: some Hashable & Sendable, touching keys: some Sequence<Key>,
    _ job: nonisolated(nonsending) () async throws -> Void
  ) async throws { fatalError("unavailable") }
}
