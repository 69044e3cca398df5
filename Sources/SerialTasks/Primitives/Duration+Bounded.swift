extension Duration {
  /// From zero to a century: added to a moment of a clock, it does not overflow.
  @usableFromInline package var bounded: Duration { max(.zero, min(self, .seconds(100 * 365 * 86_400))) }

  /// Stops the program if the limit makes no sense; `precondition` prints no message in release builds.
  @inline(never)
  package static func check(_ name: StaticString, _ duration: Duration?, mayBeZero: Bool = false) {
    guard let duration, duration < .zero || duration == .zero && !mayBeZero else { return }
    fatalError("\(name) must \(mayBeZero ? "not be negative" : "be positive"), but is \(duration)")
  }
}
