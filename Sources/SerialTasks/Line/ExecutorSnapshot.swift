/// What an executor was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct ExecutorSnapshot: Hashable, Sendable {
  /// The number of jobs that have a place and have not been granted their turn.
  public let waiting: Int
  /// The number of jobs that have a turn.
  ///
  /// A job that has it may not have begun: `cancelAll()` can still reject it.
  public let running: Int
  /// The name of the job that has a turn; `nil` if it has no name, or if not exactly one has.
  public let runningJob: String?
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
  ///   - running: The number of jobs that have a turn.
  ///   - runningJob: The name of the only job that has a turn.
  ///   - isPaused: Whether the executor is paused.
  ///   - isClosed: Whether the executor is closed.
  ///   - capacity: The maximum number of waiting jobs.
  public init(
    waiting: Int = 0, running: Int = 0, runningJob: String? = nil, isPaused: Bool = false, isClosed: Bool = false,
    capacity: Int? = nil
  ) {
    self.waiting = waiting
    self.running = running
    self.runningJob = runningJob
    self.isPaused = isPaused
    self.isClosed = isClosed
    self.capacity = capacity
  }
}
