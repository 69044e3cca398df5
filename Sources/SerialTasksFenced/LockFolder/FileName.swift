/// The name of a key's file: any string is a key, and has a unique name on every file system.
///
/// Lowercase letters, digits, `-` and `_` stand for themselves; every other byte of the key's UTF-8 becomes `%` and
/// two hexadecimal digits. Names also differ where case is ignored, and none is a path. A name that would be too long
/// is `=` and the SHA-256 of the key.
package struct FileName: Hashable {
  /// File systems allow 255 bytes, some of them 143.
  package static let longest = 120

  package let text: String

  package init(of key: String) {
    let escaped = key.utf8.map(Self.escaped).joined()
    let digest = { "=" + SHA256.digest(of: Array(key.utf8)).map(Self.hex).joined() }
    text = escaped.utf8.count <= Self.longest ? escaped : digest()
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      String(UnicodeScalar(byte))
    default: "%" + hex(byte)
    }
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
