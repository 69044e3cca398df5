/// What a `CoalescingTaskExecutor` was doing at one moment.
///
/// It is true when it is taken and may be old when it is read.
public struct CoalescingSnapshot: Hashable, Sendable {
  /// How many jobs have a place and have not been granted their turn: writes and reads, and no callers that joined.
  public let waiting: Int
  /// How many reads have their turn.
  public let reading: Int
  /// Whether a write has the turn.
  public let isWriting: Bool
  /// Whether `pause()` was called and not yet `resume()`.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// Most jobs that may wait; `nil` if there is no limit.
  public let capacity: Int?
  /// Most reads that run at the same time; `nil` if there is no limit.
  public let maximumConcurrentReads: Int?

  init(_ state: borrowing LineState, reads: Int?) {
    let batch = state.turn.waiter?.batch
    waiting = state.jobsWaiting
    reading = batch?.running.count ?? 0
    isWriting = !state.turn.isFree && batch == nil
    isPaused = state.isPaused
    isClosed = state.isClosed
    capacity = state.capacity
    maximumConcurrentReads = reads
  }
}
