/// What a ``CoalescingTaskExecutor`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct CoalescingSnapshot: Hashable, Sendable {
  /// The number of writes and reads that have a place and have not been granted their turn.
  ///
  /// Callers that joined a read are not counted.
  public let waiting: Int
  /// The number of reads that have their turn.
  public let reading: Int
  /// Whether a write has the turn.
  public let isWriting: Bool
  /// Whether the executor is paused: `pause()` was called, and `resume()` has not been called since.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// The maximum number of waiting jobs; `nil` if there is no limit.
  public let capacity: Int?
  /// The maximum number of reads that run at the same time; `nil` if there is no limit.
  public let maximumConcurrentReads: Int?

  init(_ table: borrowing ClaimTable) {
    waiting = table.waiting
    reading = table.reading
    isWriting = table.running > table.reading
    isPaused = table.isPaused
    isClosed = table.isClosed
    capacity = table.capacity
    maximumConcurrentReads = table.slots
  }
}
