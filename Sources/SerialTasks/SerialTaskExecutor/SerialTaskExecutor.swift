/// Runs async jobs strictly one after the other, in the order in which they were asked for.
///
/// An actor lets other callers in at every `await` of a method; this executor does not: a job has its turn until it
/// returns, whatever it awaits.
///
/// ```swift
/// actor NotesRepository {
///   let writes = SerialTaskExecutor(name: "notes")
///   var saved: [Note] = []
///
///   func save(_ note: Note) async throws {
///     try await writes.enqueue {
///       try await service.save(note)  // nobody else's write starts before this one has ended
///       saved.append(note)            // still isolated to the repository
///     }
///   }
/// }
/// ```
///
/// There are two ways in. ``enqueue(name:_:)`` waits for its job and runs it in the caller's own task;
/// ``submit(name:priority:_:)`` takes a place and returns at once, also from synchronous code. Places of both are in one line.
///
/// **Order.** First in, first out by *place*, and a place is taken on the calling thread before the call can suspend. Priority
/// never reorders: a more urgent waiter raises what is ahead of it instead, to the priority with which it came. A task that is
/// raised while it waits raises nothing: to see that, each wait would need a second handler of the runtime's, which makes a wait
/// cost a tenth more. Where it matters, submit the job: a task that awaits ``SubmittedJob/value`` raises it then.
///
/// **Reentrancy.** A job that would wait for its own executor is turned away with ``JobRejection/deadlock(_:)`` instead of
/// hanging, also from a child task of the job and through any number of functions and actors between. An unstructured task
/// that a job starts is a stranger: it queues, and the job must not wait for it.
///
/// **Isolation.** The executor is an actor so that it can be passed around and stored like one, but none of its methods is
/// isolated to it: all of them may be called from any isolation without a hop.
///
/// The executor may be let go while jobs wait: what holds them lives until they are settled. If it was paused, they run.
public final actor SerialTaskExecutor {
  @usableFromInline package nonisolated let line: Line

  /// Makes an executor.
  ///
  /// - Parameters:
  ///   - name: What events and deadlocks call it.
  ///   - capacity: Most jobs that may wait; one more is rejected ``JobRejection/full(capacity:)``. At least 1, or this
  ///     traps. `nil`, the default, is no limit. A job that ``pause()`` puts back is never rejected for it.
  ///   - onEvent: Called for what happens to each job; see ``TaskEvent`` for when and where.
  public init(name: String? = nil, capacity: Int? = nil, onEvent: (@Sendable (TaskEvent) -> Void)? = nil) {
    line = Line(name: name, type: "SerialTaskExecutor", capacity: capacity, onEvent: onEvent)
  }

  /// Nobody is left who could end a pause, and no job is to be lost.
  deinit { line.resume() }

  /// The name given to the executor.
  public nonisolated var name: String? { line.name }
}

// MARK: - Waiting for a job

extension SerialTaskExecutor {
  /// Runs the job when its turn has come, and returns what it returns.
  ///
  /// Equivalent to calling the job directly, but for when it starts: it runs in the calling task and in the caller's
  /// isolation, and sees the caller's task-locals, priority and cancellation. The closure does not escape, need not be
  /// Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place, and the place is taken before this call first suspends.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call leaves the line at
  ///   once; *granted* but not begun, the turn is passed on. In these three the job never runs, not one instruction of it, and
  ///   `CancellationError` is thrown. *Running*, the job sees it as `Task.isCancelled` and decides for itself.
  /// - **Isolation:** the caller's. A free executor costs no suspension and no hop, from the main actor either.
  /// - **Reentrancy:** from inside a job of this executor it throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1) to take a place, to leave the line and to be granted the turn. Nothing is allocated unless the
  ///   caller has to wait.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job.
  ///   - job: What to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, rejectedAs: JobRejection.untyped, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// ```swift
  /// try await writes.enqueue(rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
  ///   try await service.save(note)
  /// }
  /// ```
  ///
  /// Like ``enqueue(name:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job.
  ///   - rejectedAs: Makes the error for a job that was turned away, ``JobRejection/cancelled`` included.
  ///   - job: What to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    name: String? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(name: name, rejectedAs: rejectedAs, job)
  }
}
