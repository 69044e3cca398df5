/// The reason why a job was rejected.
///
/// A rejected job never ran, not one instruction of it. A caller that shares an operation with others
/// (``TaskCoalescer``, ``CoalescingTaskExecutor``) is rejected alone, and the operation may run for the others.
public enum JobRejection: Error, Hashable, Sendable {
  /// The caller's task, or the submitted job, was cancelled before the job began.
  ///
  /// For this case, the untyped ``SerialTaskExecutor/enqueue(name:_:)`` throws `CancellationError`, as the standard library
  /// does.
  case cancelled

  /// The job was withdrawn before it began, or the flight before it had delivered its result.
  ///
  /// A job is withdrawn by ``SerialTaskExecutor/cancelAll()``, a flight by ``TaskCoalescer/cancel(_:)``, a renewal by
  /// ``RenewingValue/clear()``.
  case withdrawn

  /// The call would have waited for itself. The error names the cycle.
  case deadlock(DeadlockError)

  /// As many jobs as the executor's capacity allows were already waiting.
  case full(capacity: Int)

  /// The job had not begun when the caller's limit on waiting had passed (`waitingAtMost:`).
  case late

  /// The executor had been closed with ``SerialTaskExecutor/close()``.
  case closed
}

extension JobRejection {
  /// Whether the rejected caller detects and reports the rejection itself; any other rejection is reported by its cause.
  @usableFromInline var isOwn: Bool {
    switch self {
    case .cancelled, .late, .deadlock: true
    case .withdrawn, .full, .closed: false
    }
  }

  /// A rejection as code that is not typed expects it: cancellation is the standard library's error.
  @usableFromInline
  static func untyped(_ rejection: JobRejection) -> any Error {
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
    case .late: "The job had not begun when the limit on waiting had passed."
    case .closed: "The job was rejected: the executor is closed."
    }
  }
}
