import CoalescingTasks

extension SerialTaskExecutor {
  /// Returns when at least this many jobs wait.
  ///
  /// ```swift
  /// let save = Task { try await line.enqueue { try await service.save(note) } }
  /// try await line.waits(for: 1)  // the save has its place
  /// ```
  ///
  /// Counts the jobs that `snapshot.waiting` counts: jobs that have a place and have not been granted their turn. Even a short
  /// moment with enough jobs is noticed, so some of them may have continued when the call returns. To keep them waiting, hold the
  /// turn with a ``Gate``, or pause the executor.
  ///
  /// A waiting job has its place. Its caller's task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: The number of jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough jobs (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }
}

extension KeyedSerialTaskExecutor {
  /// Returns when at least this many jobs wait, of all keys together.
  ///
  /// Counts the jobs that `snapshot.waiting` counts: jobs that have a place and have not been granted their turn. Even a short
  /// moment with enough jobs is noticed, so some of them may have continued when the call returns. To keep them waiting, hold
  /// their turns with a ``Gate``, or pause the executor.
  ///
  /// A waiting job has its place. Its caller's task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: The number of jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough jobs (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }

  /// Returns when at least this many jobs of the key wait.
  ///
  /// Counts the jobs that `snapshot(for:).waiting` counts; a job of several keys counts for each of them. Waiting for a key does
  /// not make it busy. Otherwise like ``waits(for:)``.
  ///
  /// - Parameters:
  ///   - count: The number of jobs to wait for; with zero or less, the call returns at once.
  ///   - key: The key whose jobs to count.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough jobs (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    let (stable, keys) = (StableKey(key), line.keys)
    try await Patience.wait(for: count, in: "\(line.label)[\(key)]", snapshot(for: key)) { patience in
      await line.wait(patience: patience) { _ in keys.queues[stable]?.waiting ?? 0 >= count }
    }
  }
}

extension CoalescingTaskExecutor {
  /// Returns when at least this many writes and reads wait.
  ///
  /// Counts the jobs that `snapshot.waiting` counts: jobs that have a place and have not been granted their turn. Callers that
  /// joined a read are not counted; wait for their `joined` events with an ``EventLog``. Even a short moment with enough jobs is
  /// noticed, so some of them may have continued when the call returns. To keep them waiting, hold the turn with a ``Gate``, or
  /// pause the executor.
  ///
  /// A waiting job has its place. Its caller's task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: The number of jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough jobs (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }
}

extension TaskCoalescer {
  /// Returns when at least this many callers wait for operations, of all keys together.
  ///
  /// Counts the callers that `snapshot.waiting` counts: the callers of running operations, including those that lead. Even a
  /// short moment with enough callers is noticed, so some of them may have continued when the call returns. To keep them waiting,
  /// hold the operation at a ``Gate``.
  ///
  /// A waiting caller has its place. Its task may not have suspended yet, its event may not have been reported, and the operation
  /// that it leads may not have begun.
  ///
  /// - **Cancellation** of the calling task: if enough callers wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside an operation, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each caller that arrives costs O(tests that wait).
  ///
  /// - Parameter count: The number of callers to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough callers (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.callers >= count }
    }
  }

  /// Returns when at least this many callers of the key wait.
  ///
  /// Callers of an operation that was invalidated, or is too old to be joined, count too. Otherwise like ``waits(for:)``, except
  /// that each check is also O(such operations).
  ///
  /// - Parameters:
  ///   - count: The number of callers to wait for; with zero or less, the call returns at once.
  ///   - key: The key whose callers to count.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough callers (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    let stable = StableKey(key)
    try await Patience.wait(for: count, "caller", in: "\(label)[\(key)]", snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.callers(of: stable) >= count }
    }
  }
}

extension Reloader {
  /// Returns when at least this many callers wait for loads.
  ///
  /// Counts the callers that `snapshot.waiting` counts: the callers of `reload(_:)`. A `request(_:)` has no caller that waits.
  /// Even a short moment with enough callers is noticed, so some of them may have continued when the call returns. To keep them
  /// waiting, hold the load at a ``Gate``.
  ///
  /// A waiting caller has its load. Its task may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough callers wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a load, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each request costs O(tests that wait).
  ///
  /// - Parameter count: The number of callers to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough callers (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.waiting >= count }
    }
  }
}

extension RenewingValue {
  /// Returns when at least this many callers wait for a renewal.
  ///
  /// Counts the callers that `snapshot.waiting` counts. Even a short moment with enough callers is noticed, so some of them may
  /// have continued when the call returns. To keep them waiting, hold the renewal at a ``Gate``.
  ///
  /// A waiting caller has its renewal, which may not have begun yet. The caller's task may not have suspended, and its event may
  /// not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough callers wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a renewal, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each caller that arrives costs O(tests that wait).
  ///
  /// - Parameter count: The number of callers to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimedOut`` after ten seconds without enough callers (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waits(for count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.waiting >= count }
    }
  }
}
