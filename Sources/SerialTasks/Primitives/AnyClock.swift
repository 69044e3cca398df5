/// A clock without its type: how long ago something was, and sleeping until something is.
@usableFromInline
struct AnyClock: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async throws -> Void

  init<C: Clock<Duration>>(_ clock: C) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  private static var longestSleep: Duration { .seconds(365 * 86_400) }

  /// How much time has passed since this was made.
  @usableFromInline var now: Duration { elapsed() }

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
