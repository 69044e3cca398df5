/// Looks now and then at counters that should move, and knows how long each has not.
///
/// It replaces a time limit: what is slow may take its time, and what stands still is found.
struct Watch {
  private(set) var looks = 0
  private var values: [Int] = []
  private var still: [Int] = []

  /// So many looks, one a second, without progress are a stall.
  private static let patience = 30

  /// - Returns: Whether one of them has not moved for too long.
  mutating func isStalled(_ current: [Int]) -> Bool {
    looks += 1
    if values.count != current.count { (values, still) = (current, current.map { _ in 0 }) }
    for index in current.indices {
      still[index] = current[index] == values[index] ? still[index] + 1 : 0
    }
    values = current
    return still.contains { $0 >= Watch.patience }
  }
}
