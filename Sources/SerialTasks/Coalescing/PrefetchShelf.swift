/// What was prefetched and not yet consumed: one result a key, for one consumer, until it expires.
///
/// Expired results do not pile up: whenever the shelf has grown to twice what was alive on it, a store clears it of them, in
/// amortised constant time.
///
/// What leaves it is returned and never dropped: the last reference to a value may go with it, its `deinit` is foreign code,
/// and there is a lock around this.
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

  @inlinable package var isEmpty: Bool { stored.isEmpty }

  /// How many of them are still good.
  package func alive(now: Duration) -> Int { stored.values.count { now < $0.expires } }

  /// Takes the result of the key away, if it is still good; one that has expired lies there until it is cleared away.
  @inlinable
  package mutating func take(_ key: Key, now: Duration) -> Value? {
    guard !stored.isEmpty, let index = stored.index(forKey: key), now < stored.values[index].expires else { return nil }
    return stored.remove(at: index).value.value
  }

  /// Whether there is a result that is still good.
  @inlinable
  package func has(_ key: Key, now: Duration) -> Bool { stored[key].map { now < $0.expires } ?? false }

  /// - Returns: What had to go for it.
  @inlinable
  package mutating func store(_ value: Value, for key: Key, now: Duration, expires: Duration) -> [Value] {
    let old = stored.updateValue(Stored(value: value, expires: expires), forKey: key)
    var gone = old.map { [$0.value] } ?? []
    if stored.count > clearedAt {
      gone += clear(now: now)
      clearedAt = max(16, 2 * stored.count)
    }
    return gone
  }

  /// Clears what has expired away, and returns it.
  @inlinable
  package mutating func clear(now: Duration) -> [Value] {
    let gone = stored.values.filter { $0.expires <= now }.map(\.value)
    if !gone.isEmpty { stored = stored.filter { now < $0.value.expires } }
    return gone
  }

  /// When half of the results that lie here will have expired.
  package var middleExpiry: Duration? {
    let expiries = stored.values.map(\.expires).sorted()
    return expiries.isEmpty ? nil : expiries[(expiries.count - 1) / 2]
  }

  @inlinable
  package mutating func remove(_ key: Key) -> [Value] { stored.removeValue(forKey: key).map { [$0.value] } ?? [] }

  @inlinable
  package mutating func removeAll() -> [Value] {
    let gone = stored.values.map(\.value)
    stored = [:]
    return gone
  }
}
