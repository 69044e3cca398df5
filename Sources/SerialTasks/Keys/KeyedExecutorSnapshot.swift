/// What an executor with keys was doing at one moment, all keys taken together.
///
/// It is true when it is taken and may be old when it is read.
public struct KeyedExecutorSnapshot: Hashable, Sendable {
  /// How many jobs have a place and have not been granted their turn.
  public let waiting: Int
  /// How many jobs have a turn, each of another key.
  public let running: Int
  /// Whether `pause()` was called and not yet `resume()`.
  public let isPaused: Bool
  /// Whether `close()` was called.
  public let isClosed: Bool
  /// Most jobs of one key that may wait; `nil` if there is no limit.
  public let capacityPerKey: Int?

  package init(waiting: Int, running: Int, isPaused: Bool, isClosed: Bool, capacityPerKey: Int?) {
    self.waiting = waiting
    self.running = running
    self.isPaused = isPaused
    self.isClosed = isClosed
    self.capacityPerKey = capacityPerKey
  }
}
