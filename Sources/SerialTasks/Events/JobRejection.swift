/// Why a job was turned away.
///
/// A rejected job never ran, not one instruction of it. A caller that shares the operation of others (``TaskCoalescer``,
/// ``CoalescingTaskExecutor``) is rejected by itself, and the operation may run for them.
public enum JobRejection: Error, Hashable, Sendable {
  /// The caller's task, or the submitted job, was cancelled before the job began.
  ///
  /// The untyped ``SerialTaskExecutor/enqueue(name:_:)`` throws `CancellationError` for it, as the standard library does.
  case cancelled

  /// ``SerialTaskExecutor/cancelAll()`` was called before the job began, or ``TaskCoalescer/cancel(_:)`` before the flight had
  /// landed.
  case withdrawn

  /// Waiting would have waited for itself. The error names the cycle.
  case deadlock(DeadlockError)

  /// As many jobs were waiting as the executor was made for.
  case full(capacity: Int)

  /// ``SerialTaskExecutor/close()`` had been called.
  case closed
}

extension JobRejection {
  /// Whether the caller finds it out for itself, and tells of it; every other rejection is told by who causes it.
  @usableFromInline var isOwn: Bool {
    switch self {
    case .cancelled, .deadlock: true
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
  /// What happened, as a sentence.
  public var description: String {
    switch self {
    case .cancelled: "The job was cancelled before it began, or its caller before there was a result."
    case .withdrawn: "The job was withdrawn, by cancelAll() or cancel(_:), before there was a result."
    case .deadlock(let deadlock): deadlock.description
    case .full(let capacity): "The job was turned away: \(capacity) already wait, and that is the capacity."
    case .closed: "The job was turned away: the executor is closed."
    }
  }
}
