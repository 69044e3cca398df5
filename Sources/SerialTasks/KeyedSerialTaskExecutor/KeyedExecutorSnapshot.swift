/// What a ``KeyedSerialTaskExecutor`` was doing at one moment, for all keys together.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct KeyedExecutorSnapshot: Hashable, Sendable {
  /// The number of jobs that have a place and have not been granted their turn.
  public let waiting: Int
  /// The number of jobs that have a turn.
  ///
  /// Those that have not begun are among them: `cancelAll()` can still reject such a job, and `pause()` put it back.
  public let running: Int
  /// Whether the executor is paused: `pause()` was called, and `resume()` has not been called since.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// The maximum number of waiting jobs of all keys together; `nil` if there is no limit.
  public let capacity: Int?
  /// The maximum number of waiting jobs of one key; `nil` if there is no limit.
  public let capacityPerKey: Int?

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - waiting: The number of waiting jobs or callers.
  ///   - running: The number of jobs that have a turn.
  ///   - isPaused: Whether the executor is paused.
  ///   - isClosed: Whether the executor is closed.
  ///   - capacity: The maximum number of waiting jobs of all keys together.
  ///   - capacityPerKey: The maximum number of waiting jobs of one key.
  public init(
    waiting: Int = 0, running: Int = 0, isPaused: Bool = false, isClosed: Bool = false, capacity: Int? = nil,
    capacityPerKey: Int? = nil
  ) {
    self.waiting = waiting
    self.running = running
    self.isPaused = isPaused
    self.isClosed = isClosed
    self.capacity = capacity
    self.capacityPerKey = capacityPerKey
  }
}
