/// What an executor was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct ExecutorSnapshot: Hashable, Sendable {
  /// The number of jobs that have a place and have not been granted their turn.
  public let waiting: Int
  /// Whether a job has the turn.
  ///
  /// It may not have begun: `cancelAll()` can still reject it, and `pause()` put it back.
  public let isRunning: Bool
  /// The name of the job that has the turn; `nil` if it has no name, or if no job has the turn (``isRunning``).
  public let running: String?
  /// Whether the executor is paused: `pause()` was called, and `resume()` has not been called since.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// The maximum number of waiting jobs; `nil` if there is no limit.
  public let capacity: Int?

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - waiting: The number of waiting jobs or callers.
  ///   - isRunning: Whether a job has the turn.
  ///   - running: The name of the job that has the turn.
  ///   - isPaused: Whether the executor is paused.
  ///   - isClosed: Whether the executor is closed.
  ///   - capacity: The maximum number of waiting jobs.
  public init(
    waiting: Int = 0, isRunning: Bool = false, running: String? = nil, isPaused: Bool = false, isClosed: Bool = false,
    capacity: Int? = nil
  ) {
    self.waiting = waiting
    self.isRunning = isRunning
    self.running = running
    self.isPaused = isPaused
    self.isClosed = isClosed
    self.capacity = capacity
  }
}
