/// A clock that only moves when the test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let pages = TaskCoalescer<Int, String>(name: "pages", clock: clock)
/// clock.advance(by: .seconds(30))
/// ```
///
/// Before you move the clock, wait until a task sleeps: ``waitForSleepers(_:)``. The clock starts at zero, and can be
/// read and moved from any isolation. Only ``jump(by:)`` can move it back.
public final class ManualClock: Clock, Sendable {
  /// A moment on a manual clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock was created.
    public let offset: Duration

    /// Creates a moment.
    public init(offset: Duration) { self.offset = offset }

    /// Returns the moment that is this much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns the time until another moment.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether one moment is earlier than another.
    public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }

    /// The time since the clock was created.
    public var description: String { "\(offset)" }
  }

  private struct Sleep: Sendable {
    let number: Int
    let deadline: Instant
  }

  private struct State: Sendable {
    var now = Instant(offset: .zero)
    /// Several calls may move the clock at the same time.
    var left = Duration.zero
    var sleeps: [Sleep] = []
    var asleep: Set<Int> = []
    var lastNumber = 0

    mutating func move(to moment: Instant) {
      now = moment
      let over = sleeps.prefix { $0.deadline <= moment }
      asleep.subtract(over.map(\.number))
      sleeps.removeFirst(over.count)
    }

    /// Returns whether there is more to move.
    mutating func moveOn() -> Bool {
      let step = min(sleeps.first.map { now.duration(to: $0.deadline) } ?? left, left)
      left -= step
      move(to: now.advanced(by: step))
      return left > .zero
    }
  }

  private let moments = Moments(State())

  /// Creates a clock at zero.
  public init() {}

  /// The clock's current moment.
  public var now: Instant { moments.now.now }

  /// Zero: the clock is exact.
  public var minimumResolution: Duration { .zero }

  /// When sleeping tasks will wake, since the clock was created, in ascending order.
  public var alarms: [Duration] { moments.now.sleeps.map(\.deadline.offset) }

  /// Moves the clock forwards, and wakes each task whose sleep has ended.
  ///
  /// Tasks wake in the order in which their sleeps end; of equal ends, in the order in which they began. Like all
  /// resumed tasks, they may run after this call has returned.
  ///
  /// - Parameter duration: How far to move the clock. Traps if negative.
  public func advance(by duration: Duration) {
    if duration < .zero { fatalError("duration must not be negative, but is \(duration); jump(by:) sets a clock back") }
    moments.change { $0.left += duration }
    // From alarm to alarm, so that tasks wake in the order of their deadlines.
    while moments.change({ $0.moveOn() }) {}
  }

  /// Sets the clock forwards or back in one step, like a wall clock.
  ///
  /// A task wakes if its sleep has ended; if the clock is set back, it sleeps for that much longer.
  public func jump(by duration: Duration) { moments.change { $0.move(to: $0.now.advanced(by: duration)) } }

  /// Moves the clock to the next alarm, and wakes all tasks that wait for it.
  ///
  /// - Returns: Whether a task was sleeping; if not, the clock does not move.
  @discardableResult
  public func advanceToNextSleeper() -> Bool {
    moments.change { state in
      guard let next = state.sleeps.first else { return false }
      state.move(to: next.deadline)
      return true
    }
  }

  /// Returns when at least this many tasks sleep on the clock.
  ///
  /// Such a task has set its alarm, and may not have suspended yet; it wakes even if the clock is moved before that.
  ///
  /// - Throws: `CancellationError`, or ``WaitTimeoutError`` (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waitForSleepers(_ count: Int = 1) async throws {
    let missing = Patience.fewer(than: count, "task", "asleep on the clock")
    try await Patience.wait(missing, found: "It shows \(now), and its alarms are \(alarms).") { patience in
      await moments.wait(patience: patience) { $0.sleeps.count >= count }
    }
  }

  /// Returns when the clock has reached the deadline, whatever the tolerance.
  ///
  /// - Throws: `CancellationError`.
  public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard let number = begin(until: deadline) else { return }
    do { try await moments.waitUnlessCancelled { !$0.asleep.contains(number) } } catch {
      end(number)
      throw error
    }
  }

  /// Returns `nil` if the sleep has ended.
  @inline(never)
  private func begin(until deadline: Instant) -> Int? {
    moments.change { state in
      if deadline <= state.now { return nil }
      state.lastNumber += 1
      let sleep = Sleep(number: state.lastNumber, deadline: deadline)
      let index = state.sleeps.firstIndex { $0.deadline > deadline } ?? state.sleeps.endIndex
      state.sleeps.insert(sleep, at: index)
      state.asleep.insert(sleep.number)
      return sleep.number
    }
  }

  @inline(never)
  private func end(_ number: Int) {
    moments.change { state in
      state.asleep.remove(number)
      state.sleeps.removeAll { $0.number == number }
    }
  }
}
