/// SHA-256 (FIPS 180-4), for the file names of long keys.
package enum SHA256 {
  package static func digest(of message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += bytes(of: UInt64(message.count) * 8)
    var hash = start
    for block in stride(from: 0, to: padded.count, by: 64) { mix(padded[block..<(block + 64)], into: &hash) }
    return hash.flatMap(bytes)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
    let bytes = Array(block)
    var words = stride(from: 0, to: 64, by: 4).map { at in bytes[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      words.append(
        words[index - 16] &+ words[index - 7] &+ (turn(early, 7) ^ turn(early, 18) ^ early >> 3)
          &+ (turn(late, 17) ^ turn(late, 19) ^ late >> 10))
    }
    var (a, b, c, d, e, f, g, h) = (hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7])
    for index in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let one = h &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ choice &+ constants[index] &+ words[index]
      let two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { hash[index] &+= word }
  }

  private static func turn(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }

  private static func bytes<Word: FixedWidthInteger>(of word: Word) -> [UInt8] {
    stride(from: Word.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> Word($0)) }
  }

  /// The fractions of the square roots of the first eight primes, and of the cube roots of the first 64.
  private static let start: [UInt32] = primes.prefix(8).map { fraction(of: $0, power: 2) }
  private static let constants: [UInt32] = primes.map { fraction(of: $0, power: 3) }
  private static let primes: [UInt64] = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }

  /// Returns the first 32 bits, computed in integers.
  private static func fraction(of number: UInt64, power: Int) -> UInt32 {
    // The largest x with x^power <= number * 2^(32 * power): the root with 32 bits of its fraction.
    var root: UInt64 = 0
    for bit in stride(from: 40, through: 0, by: -1) {
      let candidate = root | 1 << UInt64(bit)
      let wide = UInt128(candidate)
      if (power == 2 ? wide * wide : wide * wide * wide) <= UInt128(number) << UInt128(32 * power) { root = candidate }
    }
    return UInt32(truncatingIfNeeded: root)
  }
}
