/// A key as a table keeps it: its hash is taken once, and its own entry is always found again.
///
/// A key of a user may not be equal to itself (`Double.nan`, or anything with one in it), and the hash of an object may change
/// while it is in a table. A table of such keys cannot find what it holds, and a dictionary may trap when it grows. So the hash
/// is the one that the key had when it came, and a key that has a number is equal to the key with that number.
///
/// It also keeps `hash(into:)` outside of locks; `==` is called under that of the table.
@usableFromInline
package struct StableKey<Key: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline package let key: Key
  @usableFromInline let hash: Int
  /// Which entry of its table it is; 0 for a key that is only looked up.
  @usableFromInline let number: UInt64

  @inlinable
  package init(_ key: Key) { self.init(key, hash: key.hashValue, number: 0) }

  @inlinable
  init(_ key: Key, hash: Int, number: UInt64) {
    self.key = key
    self.hash = hash
    self.number = number
  }

  /// Returns the key as an entry of a table, which gives each of its entries another number.
  @_alwaysEmitIntoClient
  package func numbered(_ number: UInt64) -> StableKey { StableKey(key, hash: hash, number: number) }

  @_alwaysEmitIntoClient
  package static func == (left: StableKey, right: StableKey) -> Bool {
    left.hash == right.hash && (left.number != 0 && left.number == right.number || left.key == right.key)
  }

  @_alwaysEmitIntoClient
  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Returns what a dictionary asks for; without it, it would hash what is a hash already, for twice the cost of a free key's
  /// look-up.
  ///
  /// A requirement of `Hashable`, which has had it since Swift 4.2: part of its binary interface, with a default.
  @_alwaysEmitIntoClient
  package func _rawHashValue(seed: Int) -> Int { hash ^ seed }
}

extension Dictionary where Value: AnyObject {
  /// Returns where this very value is.
  ///
  /// Where `==` of the key has changed its mind, another value is found in its place, and all are looked at.
  @_alwaysEmitIntoClient
  package func index(of value: Value, for key: Key) -> Index? {
    if let index = index(forKey: key), values[index] === value { return index }
    return values.firstIndex { $0 === value }
  }
}

extension Dictionary {
  /// Gives memory back, which a dictionary never does by itself; to be called whenever something was removed.
  @_alwaysEmitIntoClient
  mutating func shrinkIfSparse() {
    guard capacity > 64, count < capacity / 8 else { return }
    var smaller = Self(minimumCapacity: 2 * count)
    for (key, value) in self { smaller[key] = value }
    self = smaller
  }
}
