/// A key in a table: its hash is computed once, and its own entry is always found.
///
/// A user's key may not be equal to itself (`Double.nan`), and the hash of an object may change. A table cannot find such keys,
/// and a dictionary may trap when it grows. So the hash is that on arrival, and equal numbers make keys equal.
///
/// `hash(into:)` never runs under a lock; `==` runs under that of the table.
@usableFromInline
package struct StableKey<Key: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline package let key: Key
  @usableFromInline package let hash: Int
  /// The number of its entry; 0 for a key that is only looked up.
  @usableFromInline let number: UInt64

  @_alwaysEmitIntoClient package init(_ key: Key) { self.init(key, hash: key.hashValue, number: 0) }

  @_alwaysEmitIntoClient init(_ key: Key, hash: Int, number: UInt64) {
    self.key = key
    self.hash = hash
    self.number = number
  }

  @_alwaysEmitIntoClient
  package func numbered(_ number: UInt64) -> StableKey { StableKey(key, hash: hash, number: number) }

  @_alwaysEmitIntoClient
  package static func == (left: StableKey, right: StableKey) -> Bool {
    left.hash == right.hash && (left.number != 0 && left.number == right.number || left.key == right.key)
  }

  @_alwaysEmitIntoClient
  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Returns the hash for a dictionary, which would otherwise hash it again, for twice the cost of a lookup.
  ///
  /// A requirement of `Hashable` since Swift 4.2, with a default: part of its binary interface.
  @_alwaysEmitIntoClient
  package func _rawHashValue(seed: Int) -> Int { hash ^ seed }
}
