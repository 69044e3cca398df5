import SerialTasks

/// A clock on which time passes when the test says so.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    let offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private struct State: Sendable {
    var now = Instant(offset: .zero)
    var sleepers: [(until: Instant, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  /// Until when those sleep who do, by the time on the clock.
  var alarms: [Duration] { state.withLock { $0.sleepers.map(\.until.offset) } }

  /// Lets so much time pass, and wakes each task that has slept long enough.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let woken = state.sleepers.filter { $0.until <= state.now }.map(\.continuation)
      state.sleepers.removeAll { $0.until <= state.now }
      return woken
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns when so much time has passed.
  ///
  /// Not ended by cancellation, which no test here needs.
  func sleep(until deadline: Instant, tolerance: Duration?) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.now < deadline { state.sleepers.append((deadline, continuation)) }
        return state.now >= deadline
      }
      if isOver { continuation.resume() }
    }
  }
}
