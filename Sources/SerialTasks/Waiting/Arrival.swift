@usableFromInline
package enum Arrival: Sendable {
  case granted
  /// It waits behind this many jobs.
  case waiting(ahead: Int)
  case rejected(JobRejection)

  @usableFromInline package var isWait: Bool { if case .waiting = self { true } else { false } }

  @usableFromInline package var rejection: JobRejection? { if case .rejected(let why) = self { why } else { nil } }
}

package enum Beginning: Sendable {
  case run
  /// It was rejected.
  case gone(JobRejection)
}
