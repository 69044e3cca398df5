/// What an executor was doing at one moment.
///
/// It is true when it is taken and may be old when it is read.
public struct ExecutorSnapshot: Hashable, Sendable {
  /// How many jobs have a place and have not been granted their turn.
  public let waiting: Int
  /// Whether a job has the turn.
  public let isRunning: Bool
  /// The name of the job that has the turn, if it has one.
  public let running: String?
  /// Whether `pause()` was called and not yet `resume()`.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// Most jobs that may wait; `nil` if there is no limit.
  public let capacity: Int?
}
