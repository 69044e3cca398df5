/// What a ``RenewingValue`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct RenewingSnapshot: Hashable, Sendable {
  /// The number of callers that wait for the running renewals.
  public let waiting: Int
  /// The number of running renewals whose result is still wanted: one at most, unless there is a `joinWindow`.
  public let running: Int
  /// How long the newest value is still valid; `nil` if there is no valid value.
  public let remaining: Duration?
  /// Whether the value rejects every call.
  public let isClosed: Bool

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - waiting: The number of callers that wait for the running renewals.
  ///   - running: The number of running renewals.
  ///   - remaining: How long the newest value is still valid.
  ///   - isClosed: Whether the value rejects every call.
  public init(waiting: Int = 0, running: Int = 0, remaining: Duration? = nil, isClosed: Bool = false) {
    self.waiting = waiting
    self.running = running
    self.remaining = remaining
    self.isClosed = isClosed
  }
}
