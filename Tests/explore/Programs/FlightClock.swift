/// A clock on which time passes when nothing else can, and by leaps wherever a model places them.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class FlightClock: Clock, @unchecked Sendable {
  struct Instant: InstantProtocol {
    let milliseconds: Int

    static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

    func advanced(by duration: Duration) -> Instant {
      Instant(milliseconds: milliseconds + Int(duration / .milliseconds(1)))
    }

    func duration(to other: Instant) -> Duration { .milliseconds(other.milliseconds - milliseconds) }
  }

  let world: World
  /// Whether another thread may be faster than a caller that has just looked at the clock.
  let isHesitant: Bool
  /// Whether that is so at every look, and not only at those of which ``onReading`` hears.
  var isAlwaysHesitant = false
  /// Called with what the next look at the clock reads.
  var onReading: ((Int) -> Void)?
  /// Called with that when the task goes on, which then decides something without delay.
  var afterReading: ((Int) -> Void)?
  private var leapt = 0
  private var lastSleeper = 0
  /// Those that sleep, and have not been cancelled.
  private(set) var sleepers: Set<Int> = []

  init(_ world: World, isHesitant: Bool) {
    self.world = world
    self.isHesitant = isHesitant
  }

  var minimumResolution: Duration { .milliseconds(1) }

  var milliseconds: Int { world.now + leapt }

  var now: Instant {
    let now = Instant(milliseconds: milliseconds)
    if world.isReal || world.isProbing { return now }
    if isAlwaysHesitant { world.point() }
    if let onReading {
      self.onReading = nil
      onReading(now.milliseconds)
      if isHesitant { world.point() }
    }
    if let afterReading {
      self.afterReading = nil
      if isHesitant { world.point() }
      afterReading(now.milliseconds)
    }
    return now
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    if world.isReal { return try await sleep(until: deadline) }
    lastSleeper += 1
    let sleeper = lastSleeper
    sleepers.insert(sleeper)
    defer { sleepers.remove(sleeper) }
    // Only noted: a task that is cancelled sleeps on, so that no schedule depends on this.
    try await withTaskCancellationHandler {
      try await sleep(until: deadline)
    } onCancel: {
      sleepers.remove(sleeper)
    }
  }

  private func sleep(until deadline: Instant) async throws {
    while milliseconds < deadline.milliseconds {
      await world.sleep(deadline.milliseconds - milliseconds)
      if world.isReal { try Task.checkCancellation() }
    }
  }

  func leap(_ milliseconds: Int) {
    leapt += milliseconds
    world.note("clock", "leaps")
  }
}
