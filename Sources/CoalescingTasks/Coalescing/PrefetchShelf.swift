/// What was prefetched and not yet consumed: one result a key, for one consumer, until it expires.
///
/// Expired results do not pile up, and need no timer: a store clears the shelf of them when it has grown to twice what was alive on
/// it, and a call when half of what was on it has expired, in amortised constant time.
///
/// What leaves it is returned and never dropped, keys included: the last reference may go with it, its `deinit` is foreign
/// code, and there is a lock around this.
@usableFromInline
package struct PrefetchShelf<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline
  package struct Stored: Sendable {
    @usableFromInline package let value: Value
    /// The very instance that the table has.
    @usableFromInline let key: StableKey<Key>
    @usableFromInline let expires: Duration

    @inlinable
    init(value: Value, key: StableKey<Key>, expires: Duration) {
      self.value = value
      self.key = key
      self.expires = expires
    }
  }

  @usableFromInline var stored: [StableKey<Key>: Stored] = [:]
  /// With how many results a store clears the shelf, and from when on a call does.
  @usableFromInline var mostBeforeClearing = 16
  @usableFromInline var clearsAt = Duration.zero

  @inlinable
  package init() {}

  /// How many results lie here, those that have expired and not been cleared away included.
  @_alwaysEmitIntoClient package var count: Int { stored.count }

  @_alwaysEmitIntoClient package var isEmpty: Bool { stored.isEmpty }

  /// Returns how many of them are still good.
  package func alive(now: Duration) -> Int { stored.values.count { now < $0.expires } }

  /// Takes the result of the key away, if it is still good; one that has expired lies there until it is cleared away.
  @_alwaysEmitIntoClient
  package mutating func take(_ key: StableKey<Key>, now: Duration) -> Stored? {
    guard !stored.isEmpty, let index = stored.index(forKey: key), now < stored.values[index].expires else { return nil }
    return stored.remove(at: index).value
  }

  /// Returns whether there is a result that is still good.
  @_alwaysEmitIntoClient
  package func has(_ key: StableKey<Key>, now: Duration) -> Bool { stored[key].map { now < $0.expires } ?? false }

  /// - Returns: What had to go for it.
  @_alwaysEmitIntoClient
  package mutating func store(_ value: Value, for key: StableKey<Key>, now: Duration, expires: Duration) -> [Stored] {
    // Not `updateValue`, which would keep the old instance of the key.
    var gone = stored.removeValue(forKey: key).map { [$0] } ?? []
    stored[key] = Stored(value: value, key: key, expires: expires)
    if stored.count == 1 { clearsAt = expires }
    if stored.count > mostBeforeClearing {
      gone += clear(now: now)
      mostBeforeClearing = max(16, 2 * stored.count)
    }
    return gone
  }

  /// Clears what has expired away, if it is time to, and returns it.
  @_alwaysEmitIntoClient
  package mutating func clearIfDue(now: Duration) -> [Stored] {
    stored.isEmpty || now < clearsAt ? [] : clear(now: now)
  }

  @usableFromInline
  mutating func clear(now: Duration) -> [Stored] {
    let gone = stored.values.filter { $0.expires <= now }
    if !gone.isEmpty { stored = stored.filter { now < $0.value.expires } }
    clearsAt = middleExpiry ?? .zero
    return gone
  }

  /// When about half of the results that lie here will have expired.
  private var middleExpiry: Duration? {
    // Of a sample, for there is a lock around this.
    let stride = stored.count / 1_000 + 1
    let expiries = stored.values.enumerated().filter { $0.offset % stride == 0 }.map(\.element.expires).sorted()
    return expiries.isEmpty ? nil : expiries[(expiries.count - 1) / 2]
  }

  @_alwaysEmitIntoClient
  package mutating func remove(_ key: StableKey<Key>) -> [Stored] { stored.removeValue(forKey: key).map { [$0] } ?? [] }

  @_alwaysEmitIntoClient
  package mutating func removeAll() -> [Stored] {
    let gone = Array(stored.values)
    stored = [:]
    return gone
  }
}
