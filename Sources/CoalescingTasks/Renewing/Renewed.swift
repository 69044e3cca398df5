/// The result of a renewal: a new value, and how long it is valid.
public struct Renewed<Value: Sendable>: Sendable {
  /// The new value.
  public let value: Value
  /// How long the value is valid, from the end of the renewal, on the clock of the ``RenewingValue``.
  public let validity: Duration

  /// Creates the result of a renewal.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - validity: How long the value is valid, at most a century. If it is zero or less, the callers that waited for
  ///     the renewal get the value, and the next call renews it.
  public init(_ value: Value, validFor validity: Duration) {
    self.value = value
    self.validity = validity
  }
}
