/// What a ``RenewingValue`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct RenewingSnapshot: Hashable, Sendable {
  /// How long the newest value is still valid; `nil` if there is no valid value.
  public let remaining: Duration?
  /// The number of running renewals whose result is still wanted: one at most, unless there is a `joinWindow`.
  public let running: Int
  /// The number of callers that wait for those renewals.
  public let waiting: Int
  /// Whether the value rejects every call.
  public let isClosed: Bool

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - remaining: How long the newest value is still valid.
  ///   - running: The number of running renewals.
  ///   - waiting: The number of callers that wait for them.
  ///   - isClosed: Whether the value rejects every call.
  public init(remaining: Duration? = nil, running: Int = 0, waiting: Int = 0, isClosed: Bool = false) {
    self.remaining = remaining
    self.running = running
    self.waiting = waiting
    self.isClosed = isClosed
  }
}
