// What the state of a line decides.

/// What the end of a turn asks for.
package struct Ending: Sendable {
  package var effects: Effects
  /// What the holder waits for before it returns to its caller.
  package let pin: EscalationPin?
}

/// What becomes of a job that is cancelled.
///
/// A caller reports this itself, when it goes on. The cancellation of a submitted job is reported by the call that cancels it.
package enum Departure: Sendable {
  /// It left the line at once.
  case left(Effects)
  /// It had been granted the turn: when it begins it is rejected, and hands the turn on.
  case revoked
  /// Its job runs.
  case running
  /// It had left, or ended, before.
  case gone
}

/// What a withdrawal asks for.
package struct Withdrawal: Sendable {
  /// Rejected, in the order of their places: to be reported before the effects are carried out.
  package var rejected: [Job]
  package var effects = Effects()
}
