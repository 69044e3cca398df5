/// A clock without its type: how long ago something was, and sleeping until something is.
///
/// Moments are durations since this was made; of the continuous clock, since its first use here.
@usableFromInline
package struct AnyClock: Sendable {
  /// What is asked of a clock that is not the continuous one.
  private final class Other: Sendable {
    /// Where this clock begins, from ``first`` on: not an instant, the size of which would have to be looked up for each copy.
    let start: Duration
    let elapsed: @Sendable () -> Duration
    let wait: @Sendable (Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
      let start = clock.now
      self.start = AnyClock.first.duration(to: start as? ContinuousClock.Instant ?? .now)
      elapsed = { start.duration(to: clock.now) }
      wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
  }

  /// The first moment of the continuous clock.
  private static let first = ContinuousClock.now

  /// `nil` for the continuous clock, which is read without a call through a closure.
  private let other: Other?

  @usableFromInline
  package init<C: Clock<Duration>>(_ clock: C) {
    other = C.self == ContinuousClock.self ? nil : Other(clock)
  }

  private static var longestSleep: Duration { .seconds(365 * 86_400) }

  /// How much time has passed since this was made.
  @usableFromInline package var now: Duration {
    if let other { return other.elapsed() }
    return AnyClock.first.duration(to: .now)
  }

  /// Returns a moment as an instant: exact on the continuous clock, and on another as far after its first as on that clock.
  @usableFromInline func instant(_ moment: Duration) -> ContinuousClock.Instant {
    AnyClock.first.advanced(by: (other?.start ?? .zero) + moment)
  }

  /// Returns at the moment, or in a year if that is sooner: the clocks of the system trap on sleeps of centuries.
  func sleep(until moment: Duration) async throws {
    let moment = min(moment, now + AnyClock.longestSleep)
    if let other { return try await other.wait(moment) }
    try await ContinuousClock().sleep(until: instant(moment), tolerance: nil)
  }

  /// Sleeps like ``sleep(until:)``, and returns whether the clock is to be trusted with the rest, if there is one.
  ///
  /// It is not if it throws, or if less than half of the time that was asked for has passed: a clock that does not move while
  /// it sleeps, or was set back, would be asked without end. Halving what is left takes a few dozen sleeps at most.
  package func hasSlept(until moment: Duration) async -> Bool {
    let start = now
    do { try await sleep(until: moment) } catch { return false }
    let (asked, slept) = (min(moment - start, AnyClock.longestSleep), now - start)
    return slept >= asked - slept
  }
}
