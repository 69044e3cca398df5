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
}
