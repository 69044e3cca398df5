/// What becomes of a job that arrives.
@usableFromInline
package enum Arrival: Sendable {
  case granted
  /// It has a place; these are to be raised.
  case waiting(Few<Escalation>)
  case rejected(JobRejection)
}

/// What a waiter finds when it goes on.
@usableFromInline
package enum Beginning: Sendable {
  case run
  /// The line was paused after the grant: the waiter has its place again, and waits.
  case waitAgain
  /// It was rejected while it waited.
  case gone(JobRejection)
  /// It was rejected after its grant. The turn is its own until it finishes it.
  case revoked(JobRejection)
}
