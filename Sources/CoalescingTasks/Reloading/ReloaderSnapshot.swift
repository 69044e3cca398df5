/// The state of a ``Reloader`` at one moment.
public struct ReloaderSnapshot<Reason: ReloadReason>: Sendable {
  /// The number of callers that wait for the running load or the next one; ``Reloader/request(_:)`` does not wait.
  public let waiting: Int
  /// The number of loads that run or are being applied: one or none.
  public let running: Int
  /// The reason of the running load.
  public let reason: Reason?
  /// The reason of the load that will follow it.
  public let next: Reason?
  /// Whether the reloader is closed.
  public let isClosed: Bool

  /// Creates a snapshot, for tests.
  public init(
    waiting: Int = 0, running: Int = 0, reason: Reason? = nil, next: Reason? = nil, isClosed: Bool = false
  ) {
    self.waiting = waiting
    self.running = running
    self.reason = reason
    self.next = next
    self.isClosed = isClosed
  }
}

extension ReloaderSnapshot: Equatable where Reason: Equatable {}
extension ReloaderSnapshot: Hashable where Reason: Hashable {}
