/// Text on its way into a page.
enum HTMLText {
  /// The text with everything escaped that could be taken for markup, in elements and in quoted attributes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in Printable.text(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.append(character)
      }
    }
    return result
  }

  /// A share of a width, as CSS writes it.
  static func percent(_ share: Double) -> String {
    let thousandths = Int((share * 100_000).rounded())
    return "\(Double(thousandths) / 1000)%"
  }
}
