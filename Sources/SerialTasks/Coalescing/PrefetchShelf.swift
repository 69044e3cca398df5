/// What was prefetched and not yet consumed: one result a key, for one consumer, until it expires.
///
/// Expired results do not pile up: whenever the shelf has grown to twice what was alive on it, a store clears it of them, in
/// amortised constant time.
@usableFromInline
package struct PrefetchShelf<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline
  struct Stored: Sendable {
    @usableFromInline let value: Value
    @usableFromInline let expires: Duration

    @inlinable
    init(value: Value, expires: Duration) {
      self.value = value
      self.expires = expires
    }
  }

  @usableFromInline var stored: [Key: Stored] = [:]
  @usableFromInline var clearedAt = 16

  @inlinable
  package init() {}

  /// How many results lie here, those that have expired and not been cleared away included.
  @inlinable package var count: Int { stored.count }

  /// How many of them are still good.
  package func alive(now: Duration) -> Int { stored.values.count { now < $0.expires } }

  /// Takes the result of the key away, and returns it if it is still good.
  @inlinable
  package mutating func take(_ key: Key, now: Duration) -> Value? {
    guard !stored.isEmpty, let taken = stored.removeValue(forKey: key), now < taken.expires else { return nil }
    return taken.value
  }

  /// Whether there is a result that is still good.
  @inlinable
  package func has(_ key: Key, now: Duration) -> Bool { stored[key].map { now < $0.expires } ?? false }

  @inlinable
  package mutating func store(_ value: Value, for key: Key, now: Duration, expires: Duration) {
    stored[key] = Stored(value: value, expires: expires)
    guard stored.count > clearedAt else { return }
    clear(now: now)
    clearedAt = max(16, 2 * stored.count)
  }

  /// Lets go of what has expired.
  @inlinable
  package mutating func clear(now: Duration) { stored = stored.filter { now < $0.value.expires } }

  /// When the last result that lies here expires.
  @inlinable package var lastExpiry: Duration? { stored.values.lazy.map(\.expires).max() }

  @inlinable
  package mutating func remove(_ key: Key) { stored[key] = nil }

  @inlinable
  package mutating func removeAll() { stored = [:] }
}
