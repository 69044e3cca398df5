/// A name of which the bytes count: of a key, or of what clients name.
///
/// `String` compares canonically. Two texts, in one of which a letter is composed of two characters, are equal to it, and two to a
/// database. A process that takes them for one answers who asks for the one with what was read for the other.
package struct Name: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (one: Name, other: Name) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Name: Comparable {
  package static func < (one: Name, other: Name) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }
}

extension Name: ExpressibleByStringInterpolation, CustomStringConvertible {
  package init(stringLiteral text: String) { self.init(text) }
  package var description: String { text }
}

extension Name: Codable {
  package init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
