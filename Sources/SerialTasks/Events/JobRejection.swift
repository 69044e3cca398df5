/// The reason why a job was rejected, or a caller of an operation that callers share.
///
/// A job that an executor rejects never ran, not one instruction of it. Of an operation that callers share (one of a
/// ``TaskCoalescer``, a read, a load, a renewal), the *caller* is rejected: the operation may have begun. It goes on for the
/// other callers, or is asked to stop, and what it has done until then is done.
///
/// A job or an operation may itself wait for another executor and throw its rejection. That reaches the caller unchanged, like
/// every error of the job, although the job has begun. `rejectedAs:` tells the two apart: it maps only rejections of the call
/// that it is passed to.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum JobRejection: Error, Hashable, Sendable {
  /// The caller's task, or the submitted job, was cancelled before the job began.
  ///
  /// A caller of a shared operation, and a task that awaits a submitted job, is given this case whenever it is cancelled: what
  /// it waited for may have begun.
  ///
  /// Only a call with `rejectedAs:` is given this case, and events report it. A call without it throws `CancellationError`
  /// instead, as the standard library does, so `catch JobRejection.cancelled` never matches there.
  case cancelled

  /// The job was withdrawn before it began, or the flight before it had delivered its result.
  ///
  /// A job is withdrawn by ``SerialTaskExecutor/cancelAll()``, a flight by ``TaskCoalescer/cancel(_:)``, a load by
  /// ``Reloader/cancel()``, a renewal by ``RenewingValue/clear()``, and all of them by a ``SerialTaskExecutor/shutDown(within:)``
  /// whose limit has passed. Of these, only a job is certain not to have begun.
  ///
  /// ``SerialTaskExecutor/pauseAndWait()`` throws it too, if `resume()` ends the pause before the call has returned. Then no job
  /// was withdrawn.
  case withdrawn

  /// The call would have waited for itself. The error names the cycle.
  case deadlock(DeadlockError)

  /// As many jobs as the executor's `capacity` allows were already waiting, of all keys together.
  case full(capacity: Int)

  /// As many jobs of one of its keys were already waiting as the executor's `capacityPerKey` allows.
  ///
  /// That key is busy; jobs of other keys may still be accepted. If both limits are reached, this is ``full(capacity:)``.
  case keyFull(capacity: Int)

  /// The job had not begun when the caller's limit on waiting had passed (`waitingAtMost:`).
  case late

  /// The executor had been closed with ``SerialTaskExecutor/close()``.
  case closed
}

extension JobRejection {
  /// Whether the rejected caller detects and reports the rejection itself; any other rejection is reported by its cause.
  @usableFromInline package var isOwn: Bool {
    switch self {
    case .cancelled, .late, .deadlock: true
    case .withdrawn, .full, .keyFull, .closed: false
    }
  }

  /// Returns a rejection as code that is not typed expects it: cancellation is the standard library's error.
  @usableFromInline
  package static func untyped(_ rejection: JobRejection) -> any Error {
    rejection == .cancelled ? CancellationError() : rejection
  }
}

extension JobRejection: CustomStringConvertible {
  /// A sentence that says what happened.
  public var description: String {
    switch self {
    case .cancelled: "The job was cancelled before it began, or its caller was cancelled before it had a result."
    case .withdrawn: "The job was withdrawn by cancelAll(), cancel(_:) or clear() before it had a result."
    case .deadlock(let deadlock): deadlock.description
    case .full(let capacity): "The job was rejected: as many jobs already wait as the capacity allows (\(capacity))."
    case .keyFull(let capacity):
      "The job was rejected: as many jobs of one of its keys already wait as capacityPerKey allows (\(capacity))."
    case .late: "The job had not begun when the limit on waiting had passed."
    case .closed: "The job was rejected: the executor is closed."
    }
  }
}
