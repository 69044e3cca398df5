/// What becomes of a waiter that arrives.
@usableFromInline
package enum Arrival: Sendable {
  case granted
  /// It waits, behind so many jobs.
  case waiting(ahead: Int)
  case rejected(JobRejection)

  @usableFromInline var isWait: Bool { if case .waiting = self { true } else { false } }

  @usableFromInline var rejection: JobRejection? { if case .rejected(let why) = self { why } else { nil } }
}

/// What a waiter finds when it goes on.
package enum Beginning: Sendable {
  case run
  /// It was rejected.
  case gone(JobRejection)
}
