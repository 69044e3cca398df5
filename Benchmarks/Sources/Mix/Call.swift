/// One of a thousand callers: one in ten writes, the others read one of a hundred keys.
package struct Call: Sendable {
  let key: Int
  let isWrite: Bool

  /// The same calls in every run.
  package static let all = {
    var random: UInt64 = 1
    return (0..<1_000).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Call(key: Int(random >> 33 % 100), isWrite: random >> 48 % 10 == 0)
    }
  }()

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
