@usableFromInline
package enum Arrival: Sendable {
  case granted
  case waiting(ahead: Int)
  case rejected(JobRejection)

  @usableFromInline package var isWait: Bool { if case .waiting = self { true } else { false } }

  @usableFromInline package var rejection: JobRejection? { if case .rejected(let why) = self { why } else { nil } }
}
