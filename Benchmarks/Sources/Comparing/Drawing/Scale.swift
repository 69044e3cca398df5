import Foundation

/// A logarithmic scale from values to positions.
struct Scale {
  private let values: (low: Double, high: Double)
  private let positions: (from: Double, to: Double)

  /// From the last 1, 2 or 5 of a decade below the values to the first above them.
  init(_ values: [Double], from: Double, to: Double) {
    let (least, most) = (values.min() ?? 1, values.max() ?? 10)
    let low = Scale.steps(around: least).last { $0 <= least * 1.001 } ?? least
    let high = Scale.steps(around: most).first { $0 >= most * 0.999 && $0 > low } ?? low * 10
    self.values = (low, high)
    positions = (from, to)
  }

  func callAsFunction(_ value: Double) -> Double {
    let part = log10(value / values.low) / log10(values.high / values.low)
    return positions.from + (positions.to - positions.from) * part
  }

  /// Whole decades; the steps between them too where there are few decades.
  var ticks: [(value: Double, position: Double)] {
    let decades = Int(floor(log10(values.low)))...Int(ceil(log10(values.high)))
    let isWide = log10(values.high / values.low) > 2.5
    let all = decades.flatMap { decade in (isWide ? [1] : [1, 2, 5]).map { $0 * pow(10, Double(decade)) } }
    return all.filter { $0 > values.low * 0.999 && $0 < values.high * 1.001 }.map { ($0, self($0)) }
  }

  private static func steps(around value: Double) -> [Double] {
    let decade = Int(floor(log10(value)))
    return (decade - 1...decade + 1).flatMap { decade in [1, 2, 5].map { $0 * pow(10, Double(decade)) } }
  }
}
