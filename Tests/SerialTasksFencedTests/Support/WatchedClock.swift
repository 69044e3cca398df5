import SerialTasks

/// The system's clock, with something that happens whenever a certain task looks at it: on its thread, as another would in between.
final class WatchedClock: Clock {
  /// Whether the running task is the one.
  @TaskLocal static var isWatched = false

  private let onLook = Lock<(@Sendable () -> Void)?>(nil)

  /// What happens at the next look of the task; it may ask for that again.
  func atNextLook(_ body: @escaping @Sendable () -> Void) { onLook.withLock { $0 = body } }

  var minimumResolution: Duration { ContinuousClock().minimumResolution }

  var now: ContinuousClock.Instant {
    if WatchedClock.isWatched { onLook.withLock { $0.take() }?() }
    return .now
  }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }
}
