/// What a ``Reloader`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct ReloaderSnapshot<Reason: ReloadReason>: Sendable {
  /// The number of callers that wait for the load that runs, or for the one that will follow it.
  ///
  /// A request made by ``Reloader/request(_:)`` has no waiting caller.
  public let waiting: Int
  /// The number of loads that run, or whose result is just being applied: one, or none.
  public let running: Int
  /// The reason of that load.
  public let reason: Reason?
  /// The reason of the load that will follow it, if there is one.
  public let next: Reason?
  /// Whether the reloader rejects every call.
  public let isClosed: Bool

  /// Creates a snapshot, for example to test code that reads one.
  ///
  /// - Parameters:
  ///   - waiting: The number of waiting callers.
  ///   - running: The number of running loads.
  ///   - reason: The reason of that load.
  ///   - next: The reason of the load that will follow it.
  ///   - isClosed: Whether the reloader rejects every call.
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
