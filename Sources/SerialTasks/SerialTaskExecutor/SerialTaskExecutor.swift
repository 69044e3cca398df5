/// Runs async jobs strictly one after another, in the order of the calls.
///
/// An actor runs other calls at every `await` of a method. This executor does not: a job has its turn until it returns,
/// whatever it awaits.
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
/// ``enqueue(name:waitingAtMost:_:)`` waits for its job and runs it in the caller's task. ``submit(name:priority:_:)`` takes a
/// place and returns, also from synchronous code; so does ``submitDetached(name:priority:_:)``, whose jobs wait without a task.
///
/// The executor is neither a `SerialExecutor` nor a `TaskExecutor` of the standard library.
///
/// **Order.** First in, first out by *place*. A place is taken on the calling thread before the call can suspend. Priority never
/// reorders: a waiter of higher priority raises the jobs ahead of it to its own priority, once, when it arrives. If its own
/// priority may be raised later, submit the job: a task raises the job when it awaits ``SubmittedJob/value``.
///
/// **Reentrancy.** A job that would wait for its own executor is rejected with ``JobRejection/deadlock(_:)`` instead of
/// hanging. This includes waits in a child task of the job, and through any number of functions and actors. An
/// unstructured task that a job starts is not part of the job: it waits in line, and the job must not wait for it.
///
/// **Isolation.** No method is isolated to the executor, although it is an actor: any code can call it without a hop.
///
/// **Lifetime.** The executor may be released while jobs wait: they still run, even if it was paused.
public final actor SerialTaskExecutor {
  @usableFromInline package nonisolated let line: Line

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The name in events and deadlock errors.
  ///   - capacity: The maximum number of waiting jobs. Another job that would have to wait is rejected with
  ///     ``JobRejection/full(capacity:)``, also while the executor is paused. Traps if less than 1. `nil` means no
  ///     limit.
  ///   - reportsTurnsLongerThan: Longer turns are reported once, as
  ///     ``TaskEvent/Kind/heldTooLong(waiting:startedInTurn:)``, and marked in a ``WaitReport``. Without `onEvent`,
  ///     they are only marked. Traps unless positive. `nil` means no limit, and no timer.
  ///   - clock: Measures times for limits and events.
  ///   - onEvent: See ``TaskEvent``.
  public init(
    name: String? = nil, capacity: Int? = nil, reportsTurnsLongerThan: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    line = Line(
      name: name, type: "SerialTaskExecutor", capacity: capacity, clock: AnyClock(clock),
      turnLimit: reportsTurnsLongerThan, onEvent: onEvent)
  }

  /// Only this can still end a pause: no job may be lost.
  deinit { line.resume() }

  /// The name given to the executor.
  public nonisolated var name: String? { line.name }
}

// MARK: - Waiting for a job

extension SerialTaskExecutor {
  /// Runs the job when its turn comes, and returns its result.
  ///
  /// Equivalent to calling the job directly, except for when it starts. The job runs in the calling task and the
  /// caller's isolation, with the caller's task-locals, priority and cancellation. The closure does not escape, need
  /// not be Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place, which is taken before this call first suspends.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call leaves the line
  ///   at once; *granted* but not begun, the turn is passed on. In these three cases no instruction of the job runs,
  ///   and this call throws `CancellationError`. *Running*, the job sees `Task.isCancelled`.
  /// - **Isolation:** the caller's. On a free executor, there is no suspension and no hop, even from the main actor.
  /// - **Reentrancy:** inside a job of this executor, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed on the executor's clock
  ///   never runs, and the call is rejected with ``JobRejection/late``. With `.zero` or less, the job runs only if it
  ///   can begin at once. A running job is not limited. A call with a limit is never rejected as a deadlock: if it
  ///   waits for itself, it is late. Only calls that have to wait need a timer, one for all of them.
  /// - **Complexity:** O(1) to take a place, to leave the line and to be granted the turn; O(jobs ahead) for each higher priority
  ///   with which a caller waits, or inside a job of another executor. Nothing is allocated unless the caller has to wait.
  ///
  /// - Throws: The job's error, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedBy: JobRejection.throwUntyped, job)
  }

  /// Runs the job with typed errors.
  ///
  /// ```swift
  /// try await writes.enqueue(rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
  ///   try await service.save(note)
  /// }
  /// ```
  ///
  /// Like ``enqueue(name:waitingAtMost:_:)``, but throws the job's error or what `rejectedAs` returns, also for
  /// ``JobRejection/cancelled``.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      name: name, waitingAtMost: limit, rejectedBy: { (why) throws(Failure) in throw rejectedAs(why) }, job)
  }
}
