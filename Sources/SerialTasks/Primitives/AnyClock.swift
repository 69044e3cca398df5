/// A clock without its type; moments are durations since this was created, or the first use of the continuous clock
/// here.
@usableFromInline
package struct AnyClock: Sendable {
  @usableFromInline final class Other: Sendable {
    /// Relative to ``first``; the size of an instant would be looked up for each copy.
    let start: Duration
    let elapsed: @Sendable () -> Duration
    let wait: @Sendable (Duration) async throws -> Void

    @usableFromInline init<C: Clock<Duration>>(_ clock: C) {
      let start = clock.now
      self.start = AnyClock.first.duration(to: start as? ContinuousClock.Instant ?? .now)
      elapsed = { start.duration(to: clock.now) }
      wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
  }

  private static let first = ContinuousClock.now

  /// `nil` for the continuous clock, which is read without calling a closure.
  @usableFromInline let other: Other?

  @_alwaysEmitIntoClient
  package init<C: Clock<Duration>>(_ clock: C) { other = C.self == ContinuousClock.self ? nil : Other(clock) }

  @usableFromInline @inline(never) package var now: Duration {
    if let other { return other.elapsed() }
    return AnyClock.first.duration(to: .now)
  }

  /// Returns the instant of a moment; on an injected clock, as far after its first moment as there.
  @usableFromInline func instant(_ moment: Duration) -> ContinuousClock.Instant {
    AnyClock.first.advanced(by: (other?.start ?? .zero) + moment)
  }

  /// Sleeps; returns whether the clock can be trusted for the rest of the time, if any.
  ///
  /// It cannot if it throws, or if less than half of the time has passed: a clock that stands still, or was set back,
  /// would be used forever.
  @inline(never)
  func hasSlept(until moment: Duration) async -> Bool {
    let start = now
    // At most a year: system clocks trap on sleeps of centuries.
    let asked = min(moment - start, .seconds(365 * 86_400))
    do {
      if let other {
        try await other.wait(start + asked)
      } else {
        try await ContinuousClock().sleep(until: instant(start + asked), tolerance: nil)
      }
    } catch { return false }
    let slept = now - start
    return slept >= asked - slept
  }
}
