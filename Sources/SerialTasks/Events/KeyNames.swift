/// The keys that an event is about: described when they are asked for, and not when the event is made.
@usableFromInline
package protocol KeyNames: Sendable {
  /// Calls the `description` of keys, so no lock may be held.
  var names: [String] { get }
}

extension [String]: KeyNames {
  @usableFromInline package var names: [String] { self }
}

extension StableKey: KeyNames {
  @usableFromInline package var names: [String] { [name] }
}

extension String {
  /// Returns what events and deadlocks call what is called so and touches these keys: `bank[ann, bob]`, or `bank` for every key.
  @usableFromInline
  func touching(_ keys: [String]) -> String { keys.isEmpty ? self : "\(self)[\(keys.joined(separator: ", "))]" }
}
