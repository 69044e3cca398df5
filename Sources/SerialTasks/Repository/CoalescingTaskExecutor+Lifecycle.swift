// MARK: - Holding, ending

extension CoalescingTaskExecutor {
  /// Lets what runs end and starts nothing else until ``resume()``.
  ///
  /// Jobs are still let in, and wait; a read that runs can still be joined. A job whose turn had come and that has not begun
  /// waits again where it waited, also if that is one more than the capacity. An executor that is let go resumes.
  public func pause() { line.pause() }

  /// Ends a ``pause()``.
  public func resume() { line.resume() }

  /// Turns away every later call with ``JobRejection/closed``, also one that would join a read.
  ///
  /// Jobs that have a place still run, with what they read inside their turn. There is no way back.
  public func close() { line.close() }

  /// Turns away every job that has not begun with ``JobRejection/withdrawn``, and cancels what runs in a task of the
  /// executor: reads, and a write that was submitted.
  ///
  /// A running job of ``write(name:_:)`` belongs to its caller's task and is not touched. Reads that were cancelled are not
  /// joined any more; those who wait for them get what they come to. Later calls are let in as before. O(what waits or runs).
  ///
  /// `close()`, `cancelAll()`, `try await drain()` is the log-out: after it, nothing lands.
  public func cancelAll() { line.withdrawAll() }

  /// Returns when nothing waits or runs.
  ///
  /// - **Order:** all who drain are resumed together.
  /// - **Cancellation** of the calling task: it stops waiting at once, and the jobs are not touched. So in a task that was
  ///   cancelled before, this throws at once and drains nothing, unless nothing waits or runs: where a service is stopped by
  ///   force, drain in a task of its own.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job, be it a read or a write, it throws ``JobRejection/deadlock(_:)``.
  /// - **Priority:** it raises what runs and waits when it is called, as far as that has a task of its own, and the caller
  ///   whose job runs, to the priority of the calling task.
  /// - **Complexity:** O(1), and O(jobs that wait) if it raises them.
  ///
  /// - Throws: `CancellationError`, or ``JobRejection/deadlock(_:)``.
  public nonisolated(nonsending) func drain() async throws {
    if let why = await line.drain() { throw JobRejection.untyped(why) }
  }
}

// MARK: - Looking

extension CoalescingTaskExecutor {
  /// How many jobs wait, what runs, and how the executor was set, at one moment.
  ///
  /// O(1).
  public var snapshot: CoalescingSnapshot { line.state.withLock { CoalescingSnapshot($0, reads: reading.limit) } }

  /// Whether the calling code runs in a read or a write of this executor, or in a child task of one.
  ///
  /// `false` in an unstructured task that a job started, which may outlive the job, and in `onEvent` and completion handlers.
  public var isInJob: Bool { HeldTurn.isInside(line) }
}
