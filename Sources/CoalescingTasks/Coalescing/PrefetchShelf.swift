/// Prefetched results: one for each key, for one consumer, until it expires.
///
/// When there are twice as many results as were valid at the last removal, `store` removes the expired ones.
/// Amortized O(1).
///
/// What is removed is returned, keys included, to be released after the unlock: that runs a foreign `deinit`.
@usableFromInline
package struct PrefetchShelf<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A class, like `RenewingState.Kept`.
  @usableFromInline
  package final class Stored: Sendable {
    @usableFromInline package let value: Value
    /// The same instance that the dictionary uses.
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
  /// From so many results on, `store` removes the expired ones; from this time on, any call does.
  @usableFromInline var mostBeforeClearing = few
  @usableFromInline var clearsAt = Duration.zero
  @usableFromInline static var few: Int { 16 }

  @inlinable
  package init() {}

  /// Includes expired results that have not been removed.
  @_alwaysEmitIntoClient package var count: Int { stored.count }

  package func alive(now: Duration) -> Int { stored.values.reduce(0) { now < $1.expires ? $0 + 1 : $0 } }

  /// Leaves expired results until they are removed together.
  @_alwaysEmitIntoClient
  package mutating func take(_ key: StableKey<Key>, now: Duration) -> Stored? {
    guard !stored.isEmpty, let index = stored.index(forKey: key), now < stored.values[index].expires else { return nil }
    return stored.remove(at: index).value
  }

  @_alwaysEmitIntoClient
  package func has(_ key: StableKey<Key>, now: Duration) -> Bool { stored[key].map { now < $0.expires } ?? false }

  @_alwaysEmitIntoClient
  package mutating func store(_ value: Value, for key: StableKey<Key>, now: Duration, expires: Duration) -> [Stored] {
    // `updateValue` would keep the old instance of the key.
    var gone = stored.removeValue(forKey: key).map { [$0] } ?? []
    stored[key] = Stored(value: value, key: key, expires: expires)
    if stored.count <= Self.few { clearsAt = stored.count == 1 ? expires : min(clearsAt, expires) }
    if stored.count > mostBeforeClearing {
      gone += clear(now: now)
      mostBeforeClearing = max(Self.few, 2 * stored.count)
    }
    return gone
  }

  @_alwaysEmitIntoClient
  package mutating func clearIfDue(now: Duration) -> [Stored] {
    stored.isEmpty || now < clearsAt ? [] : clear(now: now)
  }

  @usableFromInline
  mutating func clear(now: Duration) -> [Stored] {
    let gone = stored.values.filter { $0.expires <= now }
    if !gone.isEmpty { stored = stored.filter { now < $0.value.expires } }
    clearsAt = nextClearing ?? .zero
    return gone
  }

  /// When about half of the results will have expired; of a few, the first.
  private var nextClearing: Duration? {
    // A sample, because this runs under a lock.
    let stride = stored.count / 1_000 + 1
    var expiries: [Duration] = []
    for (index, stored) in stored.values.enumerated() where index % stride == 0 { expiries.append(stored.expires) }
    return expiries.ranked(stored.count <= Self.few ? 0 : (expiries.count - 1) / 2)
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

extension [Duration] {
  /// Returns what would be at this index if they were sorted, in O(n) on average; `nil` if there are none.
  fileprivate func ranked(_ index: Int) -> Duration? {
    var (rest, rank) = (self, index)
    while !rest.isEmpty {
      let pivot = rest[rest.count / 2]
      let below = rest.filter { $0 < pivot }
      let notAbove = rest.reduce(0) { $1 <= pivot ? $0 + 1 : $0 }
      if rank < below.count {
        rest = below
      } else if rank < notAbove {
        return pivot
      } else {
        rank -= notAbove
        rest = rest.filter { $0 > pivot }
      }
    }
    return nil
  }
}
