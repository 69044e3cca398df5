/// What a coalescer was doing at one moment.
///
/// It is true when it is taken and may be old when it is read.
public struct CoalescerSnapshot: Hashable, Sendable {
  /// How many operations run whose result somebody wants.
  public let flights: Int
  /// How many callers wait for them.
  public let waiting: Int
  /// How many results are kept for a caller that is still to come.
  public let stored: Int

  package init(flights: Int, waiting: Int, stored: Int) {
    self.flights = flights
    self.waiting = waiting
    self.stored = stored
  }
}
