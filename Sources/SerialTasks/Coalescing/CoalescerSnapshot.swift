/// What a ``TaskCoalescer`` was doing at one moment.
///
/// A snapshot is accurate when it is taken, and may be out of date when it is read.
public struct CoalescerSnapshot: Hashable, Sendable {
  /// The number of running operations whose result is still wanted.
  public let flights: Int
  /// The number of callers that wait for those operations.
  public let waiting: Int
  /// The number of results that are kept for a later caller.
  public let stored: Int

  package init(flights: Int, waiting: Int, stored: Int) {
    self.flights = flights
    self.waiting = waiting
    self.stored = stored
  }
}
