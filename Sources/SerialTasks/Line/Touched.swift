@usableFromInline
package enum Touched<Key: Hashable & Sendable>: Sendable {
  case everyKey
  case one(StableKey<Key>)
  case many([StableKey<Key>])

  /// Hashes each key once, outside every lock.
  @_alwaysEmitIntoClient package init(_ keys: some Sequence<Key>) {
    var touched: [StableKey<Key>] = []
    touched.reserveCapacity(keys.underestimatedCount)
    var seen: Set<StableKey<Key>> = []
    for key in keys.lazy.map(StableKey.init) {
      // Most sets are small, and comparing all keys is fastest.
      if touched.count < 8 {
        if touched.contains(key) { continue }
      } else {
        if seen.isEmpty { seen = Set(touched) }
        if !seen.insert(key).inserted { continue }
      }
      touched.append(key)
    }
    self = touched.count == 1 ? .one(touched[0]) : .many(touched)
  }

  @_alwaysEmitIntoClient package init(_ key: Key) { self = .one(StableKey(key)) }
}

extension Touched: KeyNames {
  @usableFromInline package var names: [String] {
    switch self {
    case .everyKey: []
    case .one(let key): [key.name]
    case .many(let keys): keys.reduce(into: []) { $0.append($1.name) }
    }
  }
}
