/// A value, and how its caller obtained it.
public struct CoalescedAnswer<Value: Sendable>: Sendable {
  /// How a caller obtained its value.
  public enum Source: Hashable, Sendable {
    /// The caller's own operation ran.
    case led
    /// The caller waited for an operation that was already running.
    case joined
    /// The value was prefetched. No other caller gets it.
    case prefetched
  }

  /// What the operation returned.
  public let value: Value
  /// How the caller obtained the value.
  public let source: Source

  @usableFromInline
  package init(value: Value, source: Source) {
    self.value = value
    self.source = source
  }
}

extension CoalescedAnswer: Equatable where Value: Equatable {}
