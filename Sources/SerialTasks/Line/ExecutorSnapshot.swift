/// The state of an executor at one moment.
public struct ExecutorSnapshot: Hashable, Sendable {
  /// The number of jobs that have a place and have not been granted their turn.
  public let waiting: Int
  /// The number of jobs that have a turn.
  ///
  /// `cancelAll()` can still reject one that has not begun.
  public let running: Int
  /// The name of the only job that has a turn; `nil` if it has no name, or if there is not exactly one.
  public let runningJob: String?
  /// Whether the executor is paused.
  public let isPaused: Bool
  /// Whether the executor is closed.
  public let isClosed: Bool
  /// The maximum number of waiting jobs; `nil` if there is no limit.
  public let capacity: Int?

  /// Creates a snapshot, for tests.
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
