/// The keys of an event, described when they are read.
@usableFromInline
package protocol KeyNames: Sendable {
  /// Calls the keys' `description`: no lock may be held.
  var names: [String] { get }
}

extension [String]: KeyNames {
  @usableFromInline package var names: [String] { self }
}

extension StableKey: KeyNames {
  @usableFromInline package var names: [String] { [name] }
}

extension String {
  /// Returns the name with these keys, `bank[ann, bob]`, or `bank` for every key.
  @usableFromInline @inline(never)
  package func touching(_ keys: [String]) -> String {
    keys.isEmpty ? self : self + "[" + keys.joined(separator: ", ") + "]"
  }
}
