/// Runs async jobs strictly one after the other, in the order in which they were requested.
///
/// An actor admits other callers at every `await` of a method. This executor does not: a job has its turn until it
/// returns, whatever it awaits.
///
/// ```swift
/// actor NotesRepository {
///   let writes = SerialTaskExecutor(name: "notes")
///   var saved: [Note] = []
///
///   func save(_ note: Note) async throws {
///     try await writes.enqueue {
///       try await service.save(note)  // no other write starts before this one has ended
///       saved.append(note)            // still isolated to the repository
///     }
///   }
/// }
/// ```
///
/// There are three ways to run a job. ``enqueue(name:waitingAtMost:_:)`` waits for its job and runs it in the caller's own
/// task. ``submit(name:priority:_:)`` takes a place and returns at once, and can be called from synchronous code. So can
/// ``submitDetached(name:priority:_:)``, whose jobs have no task while they wait. The places of all of them are in one line.
///
/// The executor is neither a `SerialExecutor` nor a `TaskExecutor`, and its jobs are not the runtime's jobs.
///
/// **Order.** First in, first out by *place*. A place is taken on the calling thread before the call can suspend. Priority
/// never reorders. Instead, a waiter of higher priority raises the jobs ahead of it to the priority that it had when it
/// arrived. A task whose priority is raised while it waits raises nothing: to detect that, each wait would need a second
/// handler of the runtime, which makes a wait cost a tenth more. Where this matters, submit the job: a task raises the job
/// when it awaits ``SubmittedJob/value``.
///
/// **Reentrancy.** A job that would wait for its own executor is rejected with ``JobRejection/deadlock(_:)`` instead of
/// hanging. This includes waits in a child task of the job, and waits through any number of functions and actors. An
/// unstructured task that a job starts is not part of the job: it waits in line like any other caller, and the job must
/// not wait for it.
///
/// **Isolation.** None of the executor's methods is isolated to it: all of them can be called from any isolation without a
/// hop. It is an actor because that gives it identity and `Sendable` without anything more; an instance of any `Sendable`
/// class could be passed around and stored just as well.
///
/// The executor may be released while jobs wait: what they need stays alive until they are settled, that is, until they
/// have ended or been rejected. If it was paused, the jobs run.
public final actor SerialTaskExecutor {
  @usableFromInline package nonisolated let line: Line

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The executor's name in events and deadlock errors.
  ///   - capacity: The maximum number of waiting jobs. A further job is rejected with ``JobRejection/full(capacity:)``.
  ///     Must be at least 1, or this initializer traps. `nil`, the default, means no limit. A job that ``pause()`` puts back
  ///     is never rejected because of the limit.
  ///   - reportsTurnsLongerThan: A turn that is held for longer is reported to `onEvent` once, as
  ///     ``TaskEvent/Kind/heldTooLong(waiting:startedInTurn:)``. Must be positive, or this initializer traps. `nil`, the
  ///     default, means no limit, and sets no timer.
  ///   - clock: Measures how long jobs wait and run, for limits and events.
  ///   - onEvent: Called for what happens to each job; see ``TaskEvent`` for when and where.
  public init(
    name: String? = nil, capacity: Int? = nil, reportsTurnsLongerThan: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    line = Line(
      name: name, type: .serialTaskExecutor, capacity: capacity, clock: AnyClock(clock),
      turnLimit: reportsTurnsLongerThan, onEvent: onEvent)
  }

  /// Resumes the executor: nothing else can end a pause any more, and no job may be lost.
  deinit { line.resume() }

  /// The name given to the executor.
  public nonisolated var name: String? { line.name }
}

// MARK: - Waiting for a job

extension SerialTaskExecutor {
  /// Runs the job when its turn has come, and returns what it returns.
  ///
  /// Equivalent to calling the job directly, except for when it starts. The job runs in the calling task and in the caller's
  /// isolation, and sees the caller's task-locals, priority and cancellation. The closure does not escape, need not be
  /// Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place. The place is taken before this call first suspends.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call leaves the line at
  ///   once; *granted* but not begun, the turn is passed on. In these three cases the job never runs, not one instruction of
  ///   it, and this call throws `CancellationError`. *Running*, the job sees `Task.isCancelled` and decides for itself.
  /// - **Isolation:** the caller's. A free executor costs no suspension and no hop, not even from the main actor.
  /// - **Reentrancy:** from inside a job of this executor, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed never runs: the call leaves its
  ///   place as if it were cancelled, and is rejected with ``JobRejection/late``. A job that has begun is not limited. A call
  ///   with a limit is never rejected as a deadlock; if it waits for itself, it is late. There is no timer unless the call has
  ///   to wait; then one sleeping task serves all limits of the executor.
  /// - **Complexity:** O(1) to take a place, to leave the line and to be granted the turn, and O(jobs ahead) for each higher
  ///   priority with which a caller waits, or from inside a job of another executor. Nothing is allocated unless the caller has
  ///   to wait.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once. `nil`, the default, means no limit.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when its turn has come, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type.
  ///
  /// ```swift
  /// try await writes.enqueue(rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
  ///   try await service.save(note)
  /// }
  /// ```
  ///
  /// Like ``enqueue(name:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }
}
