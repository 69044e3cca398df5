extension FencedSerialTaskExecutor where Key: Comparable {
  /// Runs the job when it has the turns of all its keys and this process has access to all of them.
  ///
  /// The job takes its places on all keys in one step. Then access is requested key by key, in the order of `<`, and no
  /// key is requested while this process holds a greater key of the job. So processes never wait for each other in a
  /// cycle. `<` must order the keys the same way in every process.
  ///
  /// ```swift
  /// try await accounts.enqueue(touching: [payer, payee]) { fences in
  ///   try await store.move(amount, from: payer, to: payee, under: fences)
  /// }
  /// ```
  ///
  /// Otherwise like ``enqueue(for:name:waitingAtMost:_:)``:
  ///
  /// - **Cancellation** of the calling task: access that was granted to some of the keys is released, or used by the next job.
  /// - **Reentrancy:** inside a job of one of the keys, this call throws `JobRejection.deadlock`; inside a job of other
  ///   keys, it waits, which breaks the order between processes: avoid it, or set a limit.
  /// - **Complexity:** O(keys of the job), and a request for each key to which this process has no access, one after the other.
  /// - **Limit:** for all keys together.
  /// - **Keys:** duplicates count once. Without keys, the job waits for no other job and for no access.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) ([Key: Fence]) async throws -> Success
  ) async throws -> Success {
    try await enqueue(touching: keys, name: name, waitingAtMost: limit, rejectedAs: { $0.untyped }, job)
  }

  /// Runs the job like ``enqueue(touching:name:waitingAtMost:_:)``, but throws its error, or what `rejectedAs` returns
  /// if it never ran.
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (FencedRejection) -> Failure,
    _ job: nonisolated(nonsending) ([Key: Fence]) async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let keys = ordered(keys)
    let arrived = desk.arrive(keys, within: limit)
    defer { desk.leave(arrived) }
    return try await lines.enqueue(
      touching: keys, name: name, waitingAtMost: limit, rejectedAs: { rejectedAs(desk.rejection($0, of: arrived)) }
    ) {
      () async throws(Failure) in
      try await desk.run(arrived, rejectedAs: rejectedAs) { fences throws(Failure) in
        try await job(byKey(keys, fences))
      }
    }
  }

  /// Takes a place on each of the keys and returns.
  ///
  /// Waits like ``enqueue(touching:name:waitingAtMost:_:)``; otherwise like ``submit(for:name:priority:_:)``.
  @discardableResult
  public func submit<Success: Sendable>(
    touching keys: some Sequence<Key>, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) ([Key: Fence]) async throws -> Success
  ) -> SubmittedJob<Success> {
    let keys = ordered(keys)
    let arrived = desk.arrive(keys, isSubmitted: true)
    // Safe because the closure is only passed on, once.
    nonisolated(unsafe) let job = job
    let submitted = lines.submit(touching: keys, name: name, priority: priority) { [desk] in
      try await desk.run(arrived, rejectedAs: { $0.untyped }) { fences in try await job(byKey(keys, fences)) }
    }
    submitted.whenComplete { [desk] _ in desk.leave(arrived) }
    return submitted
  }
}

/// Sorts the keys in the order of requests, without duplicates.
private func ordered<Key: Comparable>(_ keys: some Sequence<Key>) -> [Key] {
  keys.sorted().reduce(into: []) { ordered, key in if ordered.last != key { ordered.append(key) } }
}

private func byKey<Key: Hashable>(_ keys: [Key], _ fences: [Fence]) -> [Key: Fence] {
  Dictionary(zip(keys, fences)) { first, _ in first }
}
