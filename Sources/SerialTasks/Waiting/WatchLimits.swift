/// After how long what looks wrong is reported; nothing of it is measured unless there is an `onEvent`.
@usableFromInline
package struct WatchLimits: Sendable {
  /// Turns that are held for longer; `nil` looks at none, and sets no timer.
  let turn: Duration?
  /// Waits that may be a deadlock, see ``StallWatch``; `nil` looks at none.
  let stall: Duration?

  @usableFromInline
  package init(turn: Duration? = nil, stall: Duration? = .seconds(5)) {
    // Not a precondition: those say nothing in release builds.
    if let turn, turn <= .zero { fatalError("reportsTurnsLongerThan must be positive, and is \(turn)") }
    if let stall, stall < .zero { fatalError("stallPatience must not be negative, and is \(stall)") }
    self.turn = turn?.bounded
    self.stall = stall
  }
}

extension StallPatience {
  /// The patience of what has no line; nothing, if there is no handler to report to.
  init?(_ limits: WatchLimits, clock: AnyClock, _ onEvent: (@Sendable (TaskEvent) -> Void)?) {
    self.init(limits.stall, limits: onEvent == nil ? nil : TimeLimits(clock: clock))
  }
}
