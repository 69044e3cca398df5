/// How a candidate looks on every chart of a page: a colour and a shape, so that neither is needed alone.
struct Mark {
  /// What a candidate is: this library has colours and thick lines of its own, what is only compared with has dashes.
  enum Role: String, CaseIterable {
    case library, other, baseline

    /// As many as there are colours in the style sheet.
    var colours: Int {
      switch self {
      case .library, .baseline: 3
      case .other: 9
      }
    }
  }

  let role: Role
  /// Among those of its role.
  let number: Int

  var colour: String { "\(role) \(role)\(number % role.colours)" }

  /// The shape around a point.
  func shape(_ x: Double, _ y: Double) -> String {
    switch number % 5 {
    case 0: "<circle cx=\"\(x.short)\" cy=\"\(y.short)\" r=\"4\"/>"
    case 1: "<path d=\"M\((x - 4).short) \((y - 4).short)h8v8h-8z\"/>"
    case 2: "<path d=\"M\(x.short) \((y - 5).short)l5 9h-10z\"/>"
    case 3: "<path d=\"M\(x.short) \((y - 5.5).short)l5.5 5.5l-5.5 5.5l-5.5 -5.5z\"/>"
    default: "<path d=\"M\(x.short) \((y + 5).short)l5 -9h-10z\"/>"
    }
  }
}

extension Double {
  /// With one decimal, which is enough for a drawing.
  var short: String { "\((self * 10).rounded() / 10)" }
}

extension String {
  /// As text of a page.
  var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
      "\"", with: "&quot;")
  }
}
