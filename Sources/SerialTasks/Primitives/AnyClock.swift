/// A clock without its type: how long ago something was, and sleeping until something is.
///
/// Moments are durations since this was made, or since the first use of ``system``.
@usableFromInline
package struct AnyClock: Sendable {
  /// The clock that all use that are given no other; made once, for an executor should cost nothing.
  private static let system = AnyClock(of: ContinuousClock())

  private let start: ContinuousClock.Instant
  /// `nil` for the continuous clock, which is read without a call through a closure.
  private let elapsed: (@Sendable () -> Duration)?
  private let wait: @Sendable (Duration) async throws -> Void

  @usableFromInline
  package init<C: Clock<Duration>>(_ clock: C) { self = C.self == ContinuousClock.self ? .system : AnyClock(of: clock) }

  private init<C: Clock<Duration>>(of clock: C) {
    let start = clock.now
    self.start = start as? ContinuousClock.Instant ?? .now
    let elapsed: @Sendable () -> Duration = { start.duration(to: clock.now) }
    self.elapsed = C.self == ContinuousClock.self ? nil : elapsed
    wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  private static var longestSleep: Duration { .seconds(365 * 86_400) }

  /// How much time has passed since this was made.
  @usableFromInline package var now: Duration {
    if let elapsed { return elapsed() }
    return start.duration(to: .now)
  }

  /// A moment as an instant: exact on the continuous clock, and on another as far after its first as on that clock.
  @usableFromInline func instant(_ moment: Duration) -> ContinuousClock.Instant { start.advanced(by: moment) }

  /// Returns at the moment, or in a year if that is sooner: the clocks of the system trap on sleeps of centuries.
  func sleep(until moment: Duration) async throws { try await wait(min(moment, now + AnyClock.longestSleep)) }

  /// Sleeps like ``sleep(until:)``, and returns whether the clock is to be trusted with the rest, if there is one.
  ///
  /// It is not if it throws, or if less than half of the time that was asked for has passed: a clock that does not move while
  /// it sleeps, or was set back, would be asked without end. Halving what is left takes a few dozen sleeps at most.
  func hasSlept(until moment: Duration) async -> Bool {
    let start = now
    do { try await sleep(until: moment) } catch { return false }
    let (asked, slept) = (min(moment - start, AnyClock.longestSleep), now - start)
    return slept >= asked - slept
  }
}
