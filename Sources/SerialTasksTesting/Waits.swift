import CoalescingTasks

extension SerialTaskExecutor {
  /// Returns when at least so many jobs wait, at once if they do already.
  ///
  /// ```swift
  /// let save = Task { try await line.enqueue { try await service.save(note) } }
  /// try await line.waits(for: 1)  // the save has its place
  /// ```
  ///
  /// What counts is what `snapshot.waiting` counts: jobs that have a place and have not been granted their turn. Once this call
  /// has begun to wait, no moment is missed, however short: when it returns, so many have waited, though some may have gone on
  /// since. Hold the turn with a ``Gate``, or pause the executor, and they still wait.
  ///
  /// A job that waits has its place. Its caller's task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns all the same; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, this call waits like from anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: How many jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }
}

extension KeyedSerialTaskExecutor {
  /// Returns when at least so many jobs wait, of all keys together; at once if they do already.
  ///
  /// What counts is what `snapshot.waiting` counts: jobs that have a place and have not been granted their turn. Once this call
  /// has begun to wait, no moment is missed, however short: when it returns, so many have waited, though some may have gone on
  /// since. Hold their turns with a ``Gate``, or pause the executor, and they still wait.
  ///
  /// A job that waits has its place. Its caller's task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns all the same; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, this call waits like from anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: How many jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }

  /// Returns when at least so many jobs of the key wait, at once if they do already.
  ///
  /// What counts is what `snapshot(for:).waiting` counts. A job of several keys counts for each of them. To wait for a key does
  /// not make it busy. Like ``waits(for:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - count: How many jobs to wait for; with zero or less, the call returns at once.
  ///   - key: The key whose jobs to count.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    let (stable, keys) = (StableKey(key), line.keys)
    try await Patience.wait(for: count, in: "\(line.label)[\(key)]", snapshot(for: key)) { patience in
      await line.wait(patience: patience) { _ in keys.queues[stable]?.waiting ?? 0 >= count }
    }
  }
}

extension CoalescingTaskExecutor {
  /// Returns when at least so many writes and reads wait, at once if they do already.
  ///
  /// What counts is what `snapshot.waiting` counts: jobs that have a place and have not been granted their turn. Callers that
  /// joined a read are not counted; their events are `joined`, which an ``EventLog`` waits for. Once this call has begun to
  /// wait, no moment is missed, however short: when it returns, so many have waited, though some may have gone on since. Hold
  /// the turn with a ``Gate``, or pause the executor, and they still wait.
  ///
  /// A job that waits has its place. Its caller's task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns all the same; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, this call waits like from anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: How many jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }
}

extension TaskCoalescer {
  /// Returns when at least so many callers wait for operations, of all keys together; at once if they do already.
  ///
  /// What counts is what `snapshot.waiting` counts: the callers of running operations, those that lead included. Once this call
  /// has begun to wait, no moment is missed, however short: when it returns, so many have waited, though some may have gone on
  /// since. Hold the operation at a ``Gate``, and they still wait.
  ///
  /// A caller that waits has its place. Its task may not have suspended yet, its event may not have been reported, and the
  /// operation that it leads may not have begun.
  ///
  /// - **Cancellation** of the calling task: if enough callers wait, the call returns all the same; *waiting*, it throws at
  ///   once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside an operation, this call waits like from anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each caller that arrives costs O(tests that wait).
  ///
  /// - Parameter count: How many callers to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.callers >= count }
    }
  }

  /// Returns when at least so many callers of the key wait, at once if they do already.
  ///
  /// Callers of an operation of the key that was invalidated, or is too old to be joined, count too. Like ``waits(for:)`` in
  /// every other respect, but for the complexity: each look is also O(such operations).
  ///
  /// - Parameters:
  ///   - count: How many callers to wait for; with zero or less, the call returns at once.
  ///   - key: The key whose callers to count.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    let stable = StableKey(key)
    try await Patience.wait(for: count, "caller", in: "\(label)[\(key)]", snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.callers(of: stable) >= count }
    }
  }
}

extension Reloader {
  /// Returns when at least so many callers wait for loads, at once if they do already.
  ///
  /// What counts is what `snapshot.waiting` counts: the callers of `reload(_:)`. A `request(_:)` has no caller that waits. Once
  /// this call has begun to wait, no moment is missed, however short: when it returns, so many have waited, though some may
  /// have gone on since. Hold the load at a ``Gate``, and they still wait.
  ///
  /// A caller that waits has its load. Its task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough callers wait, the call returns all the same; *waiting*, it throws at
  ///   once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a load, this call waits like from anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each request costs O(tests that wait).
  ///
  /// - Parameter count: How many callers to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.waiting >= count }
    }
  }
}

extension RenewingValue {
  /// Returns when at least so many callers wait for a renewal, at once if they do already.
  ///
  /// What counts is what `snapshot.waiting` counts. Once this call has begun to wait, no moment is missed, however short: when
  /// it returns, so many have waited, though some may have gone on since. Hold the renewal at a ``Gate``, and they still wait.
  ///
  /// A caller that waits has its renewal, which may not have begun yet. The caller's task may not have suspended, and its event
  /// may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough callers wait, the call returns all the same; *waiting*, it throws at
  ///   once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a renewal, this call waits like from anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each caller that arrives costs O(tests that wait).
  ///
  /// - Parameter count: How many callers to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` if so few come for ten seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.waiting >= count }
    }
  }
}
