/// A small generator of numbers (SplitMix64): the same seed gives the same numbers on every machine and in every release.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return SplitMix.mixed(state)
  }

  /// A number from 0 up to, and without, the bound.
  mutating func below(_ bound: Int) -> Int {
    // Multiplying the upper half instead of dividing: no bias that matters for bounds this small.
    Int(((next() >> 32) &* UInt64(bound)) >> 32)
  }

  /// A number of the range.
  mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// Whether something that happens once in so many times happens now.
  mutating func once(in times: Int) -> Bool { below(times) == 0 }

  /// Spreads neighbouring numbers over the whole range.
  static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
