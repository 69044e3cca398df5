/// Why a job, or a caller of a shared operation, was rejected.
///
/// A job that an executor rejects never ran. With a shared operation (one of a `TaskCoalescer`, a read, a load, a
/// renewal), the *caller* is rejected: the operation may have begun. It continues for the other callers, or is
/// cancelled, and its effects so far remain.
///
/// A job that has run may throw the rejection of another executor, and its caller gets that unchanged: `rejectedAs:`
/// maps only rejections of its own call.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum JobRejection: Error, Hashable, Sendable {
  /// The caller's task, or the submitted job, was cancelled before the job began.
  ///
  /// For a caller of a shared operation, or a task that awaits a submitted job, it means only that this caller stopped waiting:
  /// the work may have begun. Only events and `rejectedAs:` use this case; other calls throw `CancellationError`.
  case cancelled

  /// The job was withdrawn before it began, or the operation before it had delivered its result.
  ///
  /// Causes: ``SerialTaskExecutor/cancelAll()`` for a job, `TaskCoalescer.cancel(_:)` for an operation,
  /// `Reloader.cancel()` for a load, `RenewingValue.clear()` for a renewal, and for all of them a
  /// ``SerialTaskExecutor/shutDown(within:)`` whose limit has passed. Only a job is certain not to have begun.
  ///
  /// Also thrown by ``SerialTaskExecutor/pauseAndWait()`` if `resume()` ends the pause before the call has returned.
  case withdrawn

  /// The call would have waited for itself. The error names the cycle.
  case deadlock(DeadlockError)

  /// The executor already had as many waiting jobs, of all keys together, as its `capacity` allows.
  case full(capacity: Int)

  /// One of the keys already had as many waiting jobs as `capacityPerKey` allows.
  ///
  /// If both limits are reached, this is ``full(capacity:)``.
  case keyFull(capacity: Int)

  /// The job had not begun when the caller's limit on waiting had passed (`waitingAtMost:`).
  case late

  /// The executor was closed.
  case closed
}

extension JobRejection {
  /// Whether the rejected caller reports the rejection, and not its cause.
  @usableFromInline package var isOwn: Bool {
    switch self {
    case .cancelled, .late, .deadlock: true
    case .withdrawn, .full, .keyFull, .closed: false
    }
  }

  @usableFromInline
  package static func untyped(_ rejection: JobRejection) -> any Error {
    rejection == .cancelled ? CancellationError() : rejection
  }

  @usableFromInline package static func throwUntyped(_ why: JobRejection) throws -> Never { throw untyped(why) }
}

extension JobRejection {
  /// The name of the case, without its value, for metrics and logs: `deadlock`, `keyFull`.
  public var name: String {
    switch self {
    case .cancelled: "cancelled"
    case .withdrawn: "withdrawn"
    case .deadlock: "deadlock"
    case .full: "full"
    case .keyFull: "keyFull"
    case .late: "late"
    case .closed: "closed"
    }
  }
}

extension JobRejection: CustomStringConvertible {
  /// A sentence that says what happened.
  public var description: String {
    switch self {
    case .cancelled: "The job was cancelled before it began, or its caller was cancelled before it had a result."
    case .withdrawn:
      """
      The job was withdrawn by cancelAll(), cancel(_:), clear() or shutDown(within:) before it had a result; or the call \
      was pauseAndWait(), and resume() ended the pause.
      """
    case .deadlock(let deadlock): deadlock.description
    case .full(let capacity): "The job was rejected: as many jobs already wait as the capacity allows (\(capacity))."
    case .keyFull(let capacity):
      "The job was rejected: as many jobs of one of its keys already wait as capacityPerKey allows (\(capacity))."
    case .late: "The job had not begun when the limit on waiting had passed."
    case .closed: "The job was rejected: the executor is closed."
    }
  }
}
