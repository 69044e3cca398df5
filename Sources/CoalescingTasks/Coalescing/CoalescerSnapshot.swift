/// What a ``TaskCoalescer`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct CoalescerSnapshot: Hashable, Sendable {
  /// The number of callers that wait for the running operations.
  public let waiting: Int
  /// The number of running operations whose result is still wanted.
  public let running: Int
  /// The number of results that are kept for a later caller.
  public let stored: Int
  /// Whether `close()` was called.
  public let isClosed: Bool

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - waiting: The number of waiting callers.
  ///   - running: The number of running operations.
  ///   - stored: The number of kept results.
  ///   - isClosed: Whether the coalescer is closed.
  public init(waiting: Int = 0, running: Int = 0, stored: Int = 0, isClosed: Bool = false) {
    self.waiting = waiting
    self.running = running
    self.stored = stored
    self.isClosed = isClosed
  }
}
