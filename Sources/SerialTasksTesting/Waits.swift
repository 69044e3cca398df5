import CoalescingTasks

extension SerialTaskExecutor {
  /// Returns when at least this many jobs wait.
  ///
  /// ```swift
  /// let save = Task { try await line.enqueue { try await service.save(note) } }
  /// try await line.waitUntil(waiting: 1)  // the save has its place
  /// ```
  ///
  /// Counts the jobs that `snapshot.waiting` counts. Even a short moment with enough jobs is noticed: some of them may
  /// have continued when the call returns. To keep them waiting, hold the turn with a ``Gate``, or pause the executor.
  /// The caller of a waiting job may not have suspended yet, and its event may not have been reported.
  ///
  /// - **Cancellation** of the calling task: if enough jobs wait, the call returns normally; *waiting*, it throws at once.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job, this call waits as anywhere else.
  /// - **Complexity:** O(1) to begin; while a test waits, each job that begins to wait costs O(tests that wait).
  ///
  /// - Parameter count: The number of jobs; with zero or less, the call returns at once.
  /// - Throws: `CancellationError`, or ``WaitTimeoutError`` after ten seconds without enough jobs (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }
}

extension KeyedSerialTaskExecutor {
  /// Returns when at least this many jobs wait, of all keys together.
  ///
  /// Like the same method of `SerialTaskExecutor`.
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }

  /// Returns when at least this many jobs of the key wait.
  ///
  /// Counts the jobs that `snapshot(for:).waiting` counts; a job of several keys counts for each. Waiting for a key
  /// does not make it busy. Otherwise like ``waitUntil(waiting:)``.
  public nonisolated(nonsending) func waitUntil(waiting count: Int, for key: Key) async throws {
    let (stable, keys) = (StableKey(key), line.keys)
    try await Patience.wait(for: count, in: "\(line.label)[\(key)]", snapshot(for: key)) { patience in
      await line.wait(patience: patience) { _ in keys[stable]?.waiting ?? 0 >= count }
    }
  }
}

extension CoalescingTaskExecutor {
  /// Returns when at least this many writes and reads wait.
  ///
  /// Callers that joined a read are not counted; wait for their `joined` events with an ``EventLog``. Otherwise like the
  /// same method of `SerialTaskExecutor`.
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await Patience.wait(for: count, in: line.label, snapshot) { patience in
      await line.wait(patience: patience) { $0.waiting >= count }
    }
  }
}

extension TaskCoalescer {
  /// Returns when at least this many callers wait for operations, of all keys together.
  ///
  /// Counts the callers that `snapshot.waiting` counts, including those that lead. To keep callers waiting, hold the
  /// operation, which may not have begun yet, at a ``Gate``. Otherwise like the same method of `SerialTaskExecutor`.
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.callers >= count }
    }
  }

  /// Returns when at least this many callers of the key wait.
  ///
  /// Also counts callers of operations that can no longer be joined: each check is also O(such operations). Otherwise
  /// like ``waitUntil(waiting:)``.
  public nonisolated(nonsending) func waitUntil(waiting count: Int, for key: Key) async throws {
    let stable = StableKey(key)
    try await Patience.wait(for: count, "caller", in: "\(label)[\(key)]", snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.callers(of: stable) >= count }
    }
  }
}

extension Reloader {
  /// Returns when at least this many callers wait for loads.
  ///
  /// Counts the callers of `reload(_:)`, not `request(_:)`; to keep them waiting, hold the load at a ``Gate``.
  /// Otherwise like the same method of `SerialTaskExecutor`, except that each request costs O(tests that wait).
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.loads.waiting >= count }
    }
  }
}

extension RenewingValue {
  /// Returns when at least this many callers wait for a renewal.
  ///
  /// To keep callers waiting, hold the renewal, which may not have begun yet, at a ``Gate``. Otherwise like the same
  /// method of `SerialTaskExecutor`.
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await Patience.wait(for: count, "caller", in: label, snapshot) { patience in
      await observers.wait(in: state, patience: patience) { $0.renewals.waiting >= count }
    }
  }
}
