/// A handle to a submitted job or read.
///
/// The handle of a read is a caller of that read. Releasing a handle changes nothing: the job still runs, and its error
/// is still reported to `onEvent`.
public struct SubmittedJob<Success: Sendable>: Sendable {
  @usableFromInline let submission: TypedSubmission<Success>

  @usableFromInline
  package init(_ submission: TypedSubmission<Success>) { self.submission = submission }

  /// The name given to the job.
  public var name: String? { submission.name }
}

extension SubmittedJob {
  /// The result of the job, once it has ended.
  ///
  /// - **Order:** all waiting tasks are resumed after the job's end has been reported, before the next job begins.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, it stops waiting at once and throws
  ///   `CancellationError`. A result that is already there is still returned. The job is not affected; to cancel it
  ///   too:
  ///
  ///   ```swift
  ///   try await withTaskCancellationHandler {
  ///     try await job.value
  ///   } onCancel: {
  ///     job.cancel()
  ///   }
  ///   ```
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside this job, or a job ahead of it in the line, it throws ``JobRejection/deadlock(_:)``
  ///   instead of hanging.
  /// - **Priority:** raises the job, and the jobs ahead of it, to the priority of the waiting task.
  /// - **Complexity:** O(1), plus O(jobs ahead) for each higher priority with which a task waits, or inside a job.
  ///
  /// - Throws: The job's error, unchanged, or why it was rejected: `CancellationError` for ``JobRejection/cancelled``
  ///   and otherwise the ``JobRejection``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var value: Success {
    get async throws { try await result.get() }
  }

  /// The outcome of the job: its value, or the error that ``value`` would throw.
  ///
  /// For typed errors, map it: `await job.result.mapError(NotesError.failed)`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var result: Result<Success, any Error> {
    get async {
      if let why = await submission.settled() { return .failure(JobRejection.untyped(why)) }
      return submission.result!
    }
  }

  package nonisolated(nonsending) func ended() async -> JobRejection? { await submission.settled() }

  /// Calls the handler once, with the ``result``.
  ///
  /// The handler is called inside the job's turn: after the end of the job has been reported, before a job begins that waits for
  /// it, and before `drain()` returns. So handlers of jobs that do not overlap are called one at a time, in order. If the job is
  /// rejected, the call that causes the rejection (`cancel()`, `cancelAll()` …) calls the handler before it returns. If the job
  /// has already ended or been rejected, this call does. The handler should be short, and may call the executor.
  @_alwaysEmitIntoClient
  public func whenComplete(_ handler: @escaping @Sendable (Result<Success, any Error>) -> Void) {
    submission.observe { [submission] in handler(submission.result!) }
  }

  /// Calls the handler once on the main actor, with the ``result``.
  ///
  /// ```swift
  /// writes.submit { try await service.save(note) }.whenComplete(on: MainActor.self) { result in
  ///   if case .failure(let error) = result { self.show(error) }
  /// }
  /// ```
  ///
  /// - **Order:** handlers on the main actor are called in the order in which their jobs ended, one at a time, whatever
  ///   the priorities. Each is called after the end of its job has been reported. The next job does not wait for it;
  ///   `drain()`, `pauseAndWait()` and `shutDown(within:)` do.
  /// - **Isolation:** the main actor. The handler runs in a separate task of high priority, outside any turn, without
  ///   task-locals of the job or the caller.
  /// - **Cancellation:** the handler is called however the job ends.
  /// - **Reentrancy:** the main actor may await `drain()`: it calls handlers meanwhile. A handler cannot await it, but
  ///   may start a task that does.
  /// - **Complexity:** O(1).
  @_alwaysEmitIntoClient
  public func whenComplete(
    on actor: MainActor.Type, _ handler: @escaping @Sendable @MainActor (Result<Success, any Error>) -> Void
  ) {
    submission.observe { [submission] in submission.callOnMainActor { handler(submission.result!) } }
  }
}

extension SubmittedJob {
  /// Cancels the job.
  ///
  /// *Waiting*, the job leaves the line at once; *granted* but not begun, its turn is passed on: it never runs and is
  /// rejected with ``JobRejection/cancelled``. *Running*, it sees `Task.isCancelled`. *Ended*, its result does not
  /// change.
  ///
  /// The handle of a read is rejected at once even while the read *runs*; the operation continues for the other
  /// callers, or is cancelled if there are none.
  public func cancel() { submission.cancel() }

  /// Whether the job was cancelled or withdrawn: by ``cancel()``, ``SerialTaskExecutor/cancelAll()``, or a shutdown
  /// whose limit had passed.
  ///
  /// It may still have run to its end. For a replaced job, this says whether its replacement was cancelled.
  public var isCancelled: Bool { submission.line.locked { _ in submission.newest.isCancelled } }
}
