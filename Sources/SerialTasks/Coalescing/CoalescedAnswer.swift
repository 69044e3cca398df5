/// A value, and how its caller came by it.
public struct CoalescedAnswer<Value: Sendable>: Sendable {
  /// How a caller came by its value.
  public enum Source: Hashable, Sendable {
    /// Its own operation ran.
    case led
    /// It waited for an operation that ran already.
    case joined
    /// It was there already, and is this caller's alone.
    case prefetched
  }

  /// What the operation returned.
  public let value: Value
  /// How the caller came by it.
  public let source: Source

  @usableFromInline
  package init(value: Value, source: Source) {
    self.value = value
    self.source = source
  }
}

extension CoalescedAnswer: Equatable where Value: Equatable {}
