/// A clock without its type: how long ago something was, and sleeping until something is.
@usableFromInline
struct Time: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async throws -> Void

  init<C: Clock<Duration>>(_ clock: C) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  /// How much time has passed since this was made.
  @usableFromInline var now: Duration { elapsed() }

  /// Returns at the moment, or in a year if that is sooner: the clocks of the system trap on sleeps of centuries.
  func sleep(until moment: Duration) async throws { try await wait(min(moment, now + .seconds(365 * 86_400))) }
}
