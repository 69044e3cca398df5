/// A handle to a job that was given to an executor with `submit`, or to a read that was submitted.
///
/// The handle of a read is a caller of that read, which it may share with others: the read's result settles all of its handles.
///
/// Releasing the handle changes nothing: the job still runs, and its error is still reported to `onEvent`.
public struct SubmittedJob<Success: Sendable>: Sendable {
  @usableFromInline let submission: TypedSubmission<Success>

  @usableFromInline
  package init(_ submission: TypedSubmission<Success>) { self.submission = submission }

  /// The name given to the job.
  public var name: String? { submission.name }
}

// MARK: - Waiting for the result

extension SubmittedJob {
  /// What the job returned, once it has ended.
  ///
  /// - **Order:** however many tasks wait, all are resumed when the job has ended and its end has been reported, before the
  ///   next job begins.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, it stops waiting at once and throws
  ///   `CancellationError`. The job is not affected; to cancel the job, call ``cancel()``. A result that is already there is
  ///   returned even so.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from a job ahead of this job in the line, or from this job itself, it throws
  ///   ``JobRejection/deadlock(_:)`` instead of hanging.
  /// - **Complexity:** O(1), and O(jobs ahead) for each higher priority with which a task waits, or from inside a job.
  ///
  /// Waiting raises the job, and the jobs ahead of it, to the priority of the waiting task.
  ///
  /// - Throws: What the job threw, unchanged, or why it was rejected: `CancellationError` for
  ///   ``JobRejection/cancelled`` and otherwise the ``JobRejection``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var value: Success {
    get async throws { try await result.get() }
  }

  /// The outcome of the job as a `Result`: its value, or the error that ``value`` would throw.
  ///
  /// For errors of one type, map it: `await job.result.mapError(NotesError.failed)`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var result: Result<Success, any Error> {
    get async {
      if let why = await submission.settled() { return .failure(JobRejection.untyped(why)) }
      return submission.result!
    }
  }

  /// Calls the handler once, with what ``result`` would be.
  ///
  /// The handler is called inside the job's turn: after the job has ended and its end has been reported, before the next job
  /// that has to wait for it begins, and before `drain()` returns. So the handlers of jobs that run one after the other are
  /// called in that order, one at a time; those of jobs that run at the same time, for different keys, may be called at the
  /// same time. If the job is rejected, the call that causes the rejection (`cancel()`, `cancelAll()` …) calls the handler
  /// before it returns. If the job is already settled, this call does. The handler should be short, and it may call the
  /// executor.
  @_alwaysEmitIntoClient
  public func whenComplete(_ handler: @escaping @Sendable (Result<Success, any Error>) -> Void) {
    submission.observe { [submission] in handler(submission.result!) }
  }

  /// Calls the handler once on the main actor, with what ``result`` would be.
  ///
  /// ```swift
  /// writes.submit { try await service.save(note) }.whenComplete(on: MainActor.self) { result in
  ///   if case .failure(let error) = result { self.show(error) }
  /// }
  /// ```
  ///
  /// - **Order:** handlers on the main actor are called in the order in which their jobs ended, one at a time, whatever the
  ///   priorities of the jobs. Each is called after the end of its job has been reported. The next job does not wait for it, and
  ///   neither does `drain()`.
  /// - **Isolation:** the main actor. The calling task, the job's task and their task-locals are not the handler's: it runs in a
  ///   task that makes such calls, and is in no job's turn.
  /// - **Cancellation:** as of ``whenComplete(_:)``, the handler is called however the job ends.
  /// - **Complexity:** O(1). One task makes the calls that wait.
  @_alwaysEmitIntoClient
  public func whenComplete(
    on actor: MainActor.Type, _ handler: @escaping @Sendable @MainActor (Result<Success, any Error>) -> Void
  ) {
    submission.observe { [submission] in MainActorCalls.make { handler(submission.result!) } }
  }
}

// MARK: - Cancelling

extension SubmittedJob {
  /// Cancels the job.
  ///
  /// *Waiting*, the job leaves the line at once; *granted* its turn but not begun, the turn is passed on. In both cases it
  /// never runs and is rejected with ``JobRejection/cancelled``. *Running*, it sees `Task.isCancelled` and decides for
  /// itself. *Ended*, its result does not change.
  ///
  /// The handle of a read leaves instead, also while the read *runs*: it is rejected at once, and the operation goes on for the
  /// other callers, or is cancelled if there are none.
  public func cancel() { submission.cancel() }

  /// Whether the job was asked to stop.
  ///
  /// A job is asked to stop by ``cancel()``, and, while it runs, by ``SerialTaskExecutor/cancelAll()`` and by a shutdown whose
  /// limit has passed. It may have run to its end all the same. A job that is withdrawn before it begins is not asked.
  public var isCancelled: Bool { submission.line.isCancelled(submission) }
}
