/// One of a thousand callers, who read or write one of a hundred keys.
package struct Call: Sendable {
  let key: Int
  let isWrite: Bool

  /// Every key as often as any other, and one call in ten writes; the same calls in every run.
  package static let all = {
    var random = Random()
    return (0..<1_000).map { _ in
      let number = random.next()
      return Call(key: Int(number >> 33 % 100), isWrite: number >> 48 % 10 == 0)
    }
  }()

  /// As keys are mostly asked for: the first by a fifth of the callers, the second half as often, the third a third as often,
  /// and so on; one call in a hundred writes.
  package static let hot = {
    var random = Random()
    let weights = (1...100).map { 1 / Double($0) }
    let sum = weights.reduce(0, +)
    return (0..<1_000).map { _ in
      var left = Double(random.next() >> 33) / Double(1 << 31) * sum
      let key = weights.firstIndex { weight in
        left -= weight
        return left < 0
      }
      return Call(key: key ?? 99, isWrite: random.next() >> 33 % 100 == 0)
    }
  }()

  private struct Random {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }

  /// Most calls of one key that cannot run at the same time.
  ///
  /// No order is faster that keeps reads behind the writes of their key. Reads next to each other are one.
  package static let longestChain = {
    var chains: [Int: (length: Int, endsWithRead: Bool)] = [:]
    for call in all {
      var chain = chains[call.key] ?? (0, false)
      if call.isWrite || !chain.endsWithRead { chain.length += 1 }
      chain.endsWithRead = !call.isWrite
      chains[call.key] = chain
    }
    return chains.values.map(\.length).max()!
  }()
}
