import Foundation

extension Int {
  /// With a gap after each three digits.
  var grouped: String {
    var digits = Array(String(self))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(" ", at: place) }
    return String(digits)
  }
}

extension Double {
  /// Nanoseconds in the unit in which they are easiest to read.
  var asTime: String {
    switch self {
    case ..<1e3: "\(threeDigits) ns"
    case ..<1e6: "\((self / 1e3).threeDigits) µs"
    case ..<1e9: "\((self / 1e6).threeDigits) ms"
    default: "\((self / 1e9).threeDigits) s"
    }
  }

  var asBytes: String {
    abs(self) < 10_000 ? "\(Int(rounded()).grouped) B" : "\((self / 1_024).threeDigits) KiB"
  }

  var threeDigits: String {
    let decimals = abs(self) < 10 ? 2 : abs(self) < 100 ? 1 : 0
    return String(format: "%.\(decimals)f", self)
  }
}

extension String {
  /// Broken at spaces.
  func lines(upTo width: Int) -> [String] {
    split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }

  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
  func aligned(_ width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}
