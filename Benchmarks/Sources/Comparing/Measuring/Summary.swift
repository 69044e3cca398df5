/// The middle and the ends of what the rounds found.
package struct Summary: Hashable, Codable, Sendable {
  package let median: Double
  package let min: Double
  package let max: Double

  /// Of at least one value.
  package init(_ values: [Double]) {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    min = sorted.first!
    max = sorted.last!
  }
}
