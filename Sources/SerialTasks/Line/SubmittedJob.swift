/// A handle on a job that was given to an executor with `submit`.
///
/// Letting go of the handle changes nothing: the job runs all the same, and its error is still reported to `onEvent`.
public struct SubmittedJob<Success: Sendable, Failure: Error>: Sendable {
  @usableFromInline let submission: TypedSubmission<Success, Failure>

  @usableFromInline
  init(_ submission: TypedSubmission<Success, Failure>) { self.submission = submission }

  /// The name given to the job.
  public var name: String? { submission.name }
}

// MARK: - Waiting for the result

extension SubmittedJob {
  /// What the job returned, once it has ended.
  ///
  /// - **Order:** of any number who wait, all are resumed when the job has ended, before the next job begins.
  /// - **Cancellation** of the task that waits: it stops waiting at once and throws `CancellationError`; the job is not
  ///   touched (that is what ``cancel()`` is for). A result that is there already is returned all the same.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from a job that this job stands behind, or from this job itself, it throws
  ///   ``JobRejection/deadlock(_:)`` instead of hanging.
  /// - **Complexity:** O(1).
  ///
  /// Waiting raises the job, and what is ahead of it, to the priority of the task that waits.
  ///
  /// - Throws: What the job threw, unchanged, or why it was rejected: `CancellationError` for
  ///   ``JobRejection/cancelled`` and otherwise the ``JobRejection``, or what `rejectedAs` makes of them if the job was
  ///   submitted with it.
  @inlinable
  public nonisolated(nonsending) var value: Success {
    get async throws(Failure) { try await result.get() }
  }

  /// The same as a value: success, or what ``value`` would throw.
  @inlinable
  public nonisolated(nonsending) var result: Result<Success, Failure> {
    get async {
      if let why = await submission.settled() { return .failure(submission.error(for: why)) }
      return submission.result!
    }
  }

  /// Calls the handler once, with what ``result`` would be.
  ///
  /// The handler is called inside the job's turn, after the job has ended and before the next begins and before `drain()`
  /// returns: handlers of one executor are called in the order of its jobs, one at a time. If the job was rejected, it is
  /// called by whoever caused that (`cancel()`, `cancelAll()`, `submit` itself), before that call returns; if it has been settled already,
  /// by this call. It should be short, and it may call the executor.
  @inlinable
  public func whenComplete(_ handler: @escaping @Sendable (Result<Success, Failure>) -> Void) {
    submission.observe { [submission] in handler(submission.result!) }
  }
}

// MARK: - Cancelling

extension SubmittedJob {
  /// Cancels the job.
  ///
  /// *Waiting*, it leaves the line at once; *granted* its turn but not begun, the turn is passed on: in both it never runs and
  /// is rejected ``JobRejection/cancelled``. *Running*, it sees `Task.isCancelled` and decides for itself. *Ended*, its
  /// result stays what it is.
  public func cancel() { submission.cancel() }

  /// Whether the job was asked to stop.
  ///
  /// By ``cancel()``, or by ``SerialTaskExecutor/cancelAll()`` while it had its turn. It may have ended all the same.
  public var isCancelled: Bool { submission.line.isCancelled(submission) }
}
