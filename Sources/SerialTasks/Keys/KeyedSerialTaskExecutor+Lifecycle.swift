// MARK: - Holding, ending

extension KeyedSerialTaskExecutor {
  /// Lets the running jobs end and starts no other, of whichever key, until ``resume()``.
  ///
  /// Jobs are still let in, and wait, those of keys that come later too. A job that had been granted its turn and has
  /// not begun waits again, as the first, also if that is one more than the capacity. An executor that is let go
  /// resumes. O(busy keys).
  public func pause() { lines.pause() }

  /// Ends a ``pause()``.
  public func resume() { lines.resume() }

  /// Turns away every later job with ``JobRejection/closed``, of whichever key.
  ///
  /// Jobs that have a place still run. There is no way back. O(busy keys).
  public func close() { lines.close() }

  /// Turns away every job that has not begun with ``JobRejection/withdrawn``, and cancels the running jobs that were
  /// submitted.
  ///
  /// A running job of ``enqueue(for:name:_:)`` belongs to its caller's task and is not touched. Later jobs are let in
  /// as before. Keys are cleared in the order in which they became busy. O(jobs that wait + busy keys, sorted).
  ///
  /// `close()`, `cancelAll()`, `try await drain()` is the log-out: after it, nothing lands.
  public func cancelAll() { lines.withdrawAll() }

  /// The same for the jobs of one key.
  ///
  /// - Parameter key: Whose jobs are not wanted any more.
  public func cancelAll(for key: Key) { lines.withdrawAll(of: key) }

  /// Returns when no job of any key waits or runs.
  ///
  /// Completion handlers of all jobs before that moment have been called, their events have been reported, and those
  /// who waited for a place go on. Jobs that come meanwhile are waited for too, so ``close()`` first if they may keep
  /// coming. While the executor is paused and jobs wait, so does this.
  ///
  /// - **Order:** all who drain are resumed together.
  /// - **Cancellation** of the calling task: it stops waiting at once, and the jobs are not touched. So in a task that
  ///   was cancelled before, this throws at once and drains nothing, unless nothing waits or runs: where a service is
  ///   stopped by force, drain in a task of its own.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, of whichever key, it throws ``JobRejection/deadlock(_:)``.
  /// - **Priority:** it raises what runs and waits when it is called, as far as that has a task of its own, and the
  ///   callers whose jobs run, to the priority of the calling task.
  /// - **Complexity:** O(busy keys), and O(jobs that wait) if it raises them.
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await lines.drain() { throw JobRejection.untyped(why) }
  }

  /// Returns when no job of the key waits or runs.
  ///
  /// Like ``drain()`` in every other respect; from inside a job of another key it waits.
  ///
  /// - Parameter key: Whose jobs to wait for.
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain(for key: Key) async throws {
    if let why = await lines.drain(key) { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension KeyedSerialTaskExecutor {
  /// How many jobs of all keys wait and run, and how the executor was set, at one moment.
  ///
  /// O(busy keys).
  public var snapshot: KeyedExecutorSnapshot { lines.snapshot }

  /// How many jobs of the key wait, whether one runs, and how the executor was set, at one moment.
  ///
  /// O(1). Looking at a key does not make it busy.
  ///
  /// - Parameter key: Whose jobs to look at.
  /// - Returns: The same as ``SerialTaskExecutor/snapshot`` of an executor for this key alone.
  public func snapshot(for key: Key) -> ExecutorSnapshot { lines.snapshot(of: key) }

  /// How many keys have a line, for how many there is room, and how many lines wait for a key to come.
  package var size: (busy: Int, capacity: Int, spares: Int) { lines.size }

  /// Whether the calling code runs in a job of the key, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job, and in `onEvent` and completion
  /// handlers.
  ///
  /// - Parameter key: Whose job is meant.
  /// - Returns: Whether the key's turn is certainly that of the calling code.
  public func isInJob(for key: Key) -> Bool { lines.isInside(key) }

  /// Stops the program unless the calling code runs in a job of the key.
  ///
  /// For functions that are only right inside a turn; also in release builds, like `preconditionIsolated` of an actor.
  ///
  /// - Parameters:
  ///   - key: Whose job is meant.
  ///   - message: Said in addition to what was expected.
  ///   - file: The file to name.
  ///   - line: The line to name.
  public func preconditionInJob(
    for key: Key, _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
  ) {
    if isInJob(for: key) { return }
    let detail = message()
    fatalError(
      "expected to run in a job of \(lines.label(of: key))\(detail.isEmpty ? "" : ": \(detail)")", file: file,
      line: line)
  }
}
