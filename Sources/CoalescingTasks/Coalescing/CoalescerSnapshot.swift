/// The state of a ``TaskCoalescer`` at one moment.
public struct CoalescerSnapshot: Hashable, Sendable {
  /// The number of callers that wait for running operations.
  public let waiting: Int
  /// The number of operations that run and are still wanted.
  public let running: Int
  /// The number of kept results.
  public let stored: Int
  /// Whether the coalescer is closed.
  public let isClosed: Bool

  /// Creates a snapshot, for tests.
  public init(waiting: Int = 0, running: Int = 0, stored: Int = 0, isClosed: Bool = false) {
    self.waiting = waiting
    self.running = running
    self.stored = stored
    self.isClosed = isClosed
  }
}
