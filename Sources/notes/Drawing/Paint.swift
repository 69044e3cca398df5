/// Colours for a terminal, or none.
struct Paint {
  let isColoured: Bool

  enum Colour: String {
    case read = "36"
    case write = "33"
    case flight = "34"
    case faint = "2"
    case bold = "1"
    case good = "32"
    case warning = "35"
    case bad = "31"
  }

  func callAsFunction(_ text: String, _ colour: Colour) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}
