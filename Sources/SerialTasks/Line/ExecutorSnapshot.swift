/// What an executor was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct ExecutorSnapshot: Hashable, Sendable {
  /// The number of jobs that have a place and have not been granted their turn.
  public let waiting: Int
  /// Whether a job has the turn.
  public let isRunning: Bool
  /// The name of the job that has the turn, if it has one.
  public let running: String?
  /// Whether the executor is paused: `pause()` was called, and `resume()` has not been called since.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// The maximum number of waiting jobs; `nil` if there is no limit.
  public let capacity: Int?
}
