/// A clock on which time passes only when the test says so.
///
/// Give it to whatever takes a clock, and no test has to wait for real time:
///
/// ```swift
/// let clock = ManualClock()
/// let pages = TaskCoalescer<Int, String>(name: "pages", clock: clock)
/// clock.advance(by: .seconds(30))
/// ```
///
/// A task that sleeps on the clock wakes when the clock has been moved to the end of its sleep. ``sleepers(_:)`` waits until a
/// task has begun to sleep, so that a test does not move the clock too early.
///
/// It starts at zero, and can be read and moved from any isolation. It goes back only in ``jump(by:)``.
public final class ManualClock: Clock, Sendable {
  /// A moment on a manual clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// How much time has passed on the clock since it was created.
    public let offset: Duration

    /// Creates the moment at which so much time has passed.
    ///
    /// - Parameter offset: The time since the clock was created.
    public init(offset: Duration) { self.offset = offset }

    /// Returns the moment that is later by the duration.
    ///
    /// - Parameter duration: How much later.
    /// - Returns: The later moment; an earlier one if the duration is negative.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns how much time passes until another moment.
    ///
    /// - Parameter other: The other moment.
    /// - Returns: The time between the two; negative if the other moment is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether one moment is earlier than another.
    ///
    /// - Parameters:
    ///   - one: A moment.
    ///   - other: Another moment.
    /// - Returns: Whether the first is earlier.
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
    /// How far the clock is still to be moved: several calls may move it at the same time.
    var left = Duration.zero
    /// In the order of their ends, and the numbers of all of them.
    var sleeps: [Sleep] = []
    var asleep: Set<Int> = []
    var lastNumber = 0

    mutating func move(to moment: Instant) {
      now = moment
      let over = sleeps.prefix { $0.deadline <= moment }
      asleep.subtract(over.map(\.number))
      sleeps.removeFirst(over.count)
    }

    /// Moves on to the next alarm, or as far as is left; returns whether more is left.
    mutating func moveOn() -> Bool {
      let step = min(sleeps.first.map { now.duration(to: $0.deadline) } ?? left, left)
      left -= step
      move(to: now.advanced(by: step))
      return left > .zero
    }
  }

  private let moments = Moments(State())

  /// Creates a clock that shows zero.
  public init() {}

  /// The moment that the clock shows.
  public var now: Instant { moments.now.now }

  /// Zero: the clock is exact.
  public var minimumResolution: Duration { .zero }

  /// When the tasks wake that sleep now, by the time since the clock was created, in rising order.
  public var alarms: [Duration] { moments.now.sleeps.map(\.deadline.offset) }

  /// Moves the clock, and wakes each task that has slept long enough.
  ///
  /// The tasks are woken in the order in which their sleeps end, and those that end together in the order in which they began.
  /// They run after this call, like all tasks that are resumed: what they do next has not been done when it returns.
  ///
  /// - Parameter duration: How far to move the clock. Must not be negative, or this method traps: the clock does not go back.
  public func advance(by duration: Duration) {
    if duration < .zero { fatalError("time does not go back: duration must not be negative, and is \(duration)") }
    moments.change { $0.left += duration }
    // From alarm to alarm, so that tasks wake in the order of their deadlines.
    while moments.change({ $0.moveOn() }) {}
  }

  /// Sets the clock, forwards or back, in one step, as a wall clock is set.
  ///
  /// Use it to test code that is given a clock that may be set. A task whose sleep ends by this wakes; one that sleeps when the
  /// clock is set back sleeps for that much longer.
  ///
  /// - Parameter duration: How far to move the clock; negative to set it back.
  public func jump(by duration: Duration) { moments.change { $0.move(to: $0.now.advanced(by: duration)) } }

  /// Moves the clock to the first moment at which a task wakes, and wakes all tasks that wait for that moment.
  ///
  /// - Returns: Whether a task slept. If none did, the clock does not move.
  @discardableResult
  public func advanceToNextSleeper() -> Bool {
    moments.change { state in
      guard let next = state.sleeps.first else { return false }
      state.move(to: next.deadline)
      return true
    }
  }

  /// Returns when at least so many tasks sleep on the clock, at once if they do already.
  ///
  /// A task that sleeps has told the clock when it wakes; it may not have suspended yet. It wakes all the same if the clock is
  /// moved now.
  ///
  /// - Parameter count: How many tasks to wait for.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or ``WaitTimedOut`` if so few sleep for ten seconds
  ///   of real time (``withPatience(_:_:)``).
  public nonisolated(nonsending) func sleepers(_ count: Int = 1) async throws {
    let missing = Patience.fewer(than: count, "task", "asleep on the clock")
    try await Patience.wait(missing, found: "It shows \(now), and its alarms are \(alarms).") { patience in
      await moments.wait(patience: patience) { $0.sleeps.count >= count }
    }
  }

  /// Returns when the clock has been moved to the deadline or past it, at once if it is there already.
  ///
  /// - Parameters:
  ///   - deadline: When to return.
  ///   - tolerance: Ignored: the clock is exact.
  /// - Throws: `CancellationError` if the calling task is cancelled before.
  public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard let number = begin(until: deadline) else { return }
    do { try await moments.waitUnlessCancelled { !$0.asleep.contains(number) } } catch {
      end(number)
      throw error
    }
  }

  /// Returns the number of the sleep, unless it is over.
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
