extension Dictionary where Value: AnyObject {
  /// Returns the index of this same value.
  ///
  /// If `==` of the key has changed its result, the dictionary finds another value, and all entries are searched.
  @_alwaysEmitIntoClient
  package func index(of value: Value, for key: Key) -> Index? {
    if let index = index(forKey: key), values[index] === value { return index }
    return values.firstIndex { $0 === value }
  }
}

extension Dictionary {
  /// Releases memory, which a dictionary never does on its own.
  @_alwaysEmitIntoClient
  package mutating func shrinkIfSparse() {
    guard capacity > 64, count < capacity / 8 else { return }
    var smaller = Self(minimumCapacity: 2 * count)
    for (key, value) in self { smaller[key] = value }
    self = smaller
  }
}
