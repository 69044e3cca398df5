/// What a ``CoalescingTaskExecutor`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct CoalescingSnapshot: Hashable, Sendable {
  /// The number of writes and reads that have a place and have not been granted their turn.
  ///
  /// Callers that joined a read are not counted.
  public let waiting: Int
  /// The number of writes and reads that have their turn.
  ///
  /// Those that have not begun are among them: `cancelAll()` can still reject such a job, and `pause()` put it back.
  public let running: Int
  /// How many of the running jobs are reads.
  public let reading: Int
  /// Whether the executor is paused: `pause()` was called, and `resume()` has not been called since.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// The maximum number of waiting jobs; `nil` if there is no limit.
  public let capacity: Int?
  /// The maximum number of reads that run at the same time; `nil` if there is no limit.
  public let maximumConcurrentReads: Int?

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - waiting: The number of waiting jobs or callers.
  ///   - running: The number of jobs that have their turn.
  ///   - reading: How many of these are reads.
  ///   - isPaused: Whether the executor is paused.
  ///   - isClosed: Whether the executor is closed.
  ///   - capacity: The maximum number of waiting jobs.
  ///   - maximumConcurrentReads: The maximum number of reads that run at the same time.
  public init(
    waiting: Int = 0, running: Int = 0, reading: Int = 0, isPaused: Bool = false, isClosed: Bool = false,
    capacity: Int? = nil, maximumConcurrentReads: Int? = nil
  ) {
    self.waiting = waiting
    self.running = running
    self.reading = reading
    self.isPaused = isPaused
    self.isClosed = isClosed
    self.capacity = capacity
    self.maximumConcurrentReads = maximumConcurrentReads
  }

  init(_ state: borrowing LineState) {
    waiting = state.waiting
    running = state.running
    reading = state.reading
    isPaused = state.isPaused
    isClosed = state.isClosed
    capacity = state.limit
    maximumConcurrentReads = state.slots?.count
  }
}
