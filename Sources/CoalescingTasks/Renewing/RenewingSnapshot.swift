/// The state of a ``RenewingValue`` at one moment.
public struct RenewingSnapshot: Hashable, Sendable {
  /// The number of callers that wait for a renewal.
  public let waiting: Int
  /// The number of running renewals whose result is still wanted: at most one without a `joinWindow`.
  public let running: Int
  /// How long the newest value remains valid; `nil` if no value is valid.
  public let remaining: Duration?
  /// Whether the value is closed.
  public let isClosed: Bool

  /// Creates a snapshot, for tests.
  public init(waiting: Int = 0, running: Int = 0, remaining: Duration? = nil, isClosed: Bool = false) {
    self.waiting = waiting
    self.running = running
    self.remaining = remaining
    self.isClosed = isClosed
  }
}
