/// The counter of a key's fences, as stored in a file.
///
/// Two slots are written in turn, each with the number and a checksum. A crash leaves the previous number intact, so
/// the counter never falls:
///
/// ```
///   slot 0: 41 ✓   slot 1: 40 ✓      the next number is 42, written to slot 1
///   slot 0: 41 ✓   slot 1: 4…        a crash in the middle: 42 was not granted
/// ```
///
/// An unreadable slot may also have been damaged after its number was granted, so that number is skipped.
package struct FenceCounter: Equatable {
  /// The slots are in different sectors of a disk.
  package static let slotSize = 512
  package static let size = 2 * slotSize

  /// The highest number that may have been granted.
  package let number: UInt64
  package let nextSlot: Int

  package init(startingAfter number: UInt64) {
    self.number = number
    nextSlot = 0
  }

  package init?(_ bytes: [UInt8]) {
    let slots = (0..<2).map { Self.number(in: bytes.dropFirst($0 * Self.slotSize).prefix(Self.slotSize)) }
    switch (slots[0], slots[1]) {
    case (let first?, let second?): (number, nextSlot) = first > second ? (first, 1) : (second, 0)
    case (let first?, nil): (number, nextSlot) = (Self.number(after: first) ?? first, 1)
    case (nil, let second?): (number, nextSlot) = (Self.number(after: second) ?? second, 0)
    case (nil, nil): return nil
    }
  }

  package var nextNumber: UInt64? { Self.number(after: number) }

  /// To be written at ``nextSlot``.
  package var next: [UInt8] { Self.slot(nextNumber ?? number) }

  package var file: [UInt8] { Self.slot(number) + Self.slot(number) }

  private static func number(after number: UInt64) -> UInt64? { number == .max ? nil : number + 1 }

  private static func slot(_ number: UInt64) -> [UInt8] {
    let text = line(number)
    return text + [UInt8](repeating: UInt8(ascii: " "), count: slotSize - text.count - 1) + [UInt8(ascii: "\n")]
  }

  private static func number(in slot: ArraySlice<UInt8>) -> UInt64? {
    guard slot.count == slotSize, let text = slot.split(separator: UInt8(ascii: " ")).first,
      let number = UInt64(String(decoding: text, as: UTF8.self)), slot.elementsEqual(Self.slot(number))
    else { return nil }
    return number
  }

  /// Returns the number with a checksum (FNV-1a) that no torn write and no zeros have.
  private static func line(_ number: UInt64) -> [UInt8] {
    let digits = Array("\(number)".utf8)
    let sum = digits.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return digits + [UInt8(ascii: " ")] + Array(String(sum, radix: 16).utf8)
  }
}
