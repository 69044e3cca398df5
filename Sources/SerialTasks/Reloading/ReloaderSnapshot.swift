/// What a ``Reloader`` was doing at one moment.
///
/// It is true when it is taken and may be old when it is read.
public struct ReloaderSnapshot<Reason: ReloadReason>: Sendable {
  /// Whether a load runs, or its result is just being applied.
  public let isLoading: Bool
  /// Why that load runs.
  public let reason: Reason?
  /// Why another load will follow it, if one will.
  public let next: Reason?
  /// How many callers wait for those loads.
  ///
  /// What was asked for by ``Reloader/request(_:)`` has no caller that waits.
  public let waiting: Int

  package init(isLoading: Bool, reason: Reason?, next: Reason?, waiting: Int) {
    self.isLoading = isLoading
    self.reason = reason
    self.next = next
    self.waiting = waiting
  }
}

extension ReloaderSnapshot: Equatable where Reason: Equatable {}
extension ReloaderSnapshot: Hashable where Reason: Hashable {}
