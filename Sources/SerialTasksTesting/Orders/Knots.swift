/// The knots of a graph (its strongly connected components), by number.
struct Knots {
  /// By point; one on no cycle is a knot of its own.
  private(set) var numbers: [Int]

  /// Walks forwards, then backwards; without recursion, because a graph may have ten thousand points.
  ///
  /// - Parameter next: The successors of each point.
  init(_ next: [[Int]]) {
    var backwards: [[Int]] = Array(repeating: [], count: next.count)
    for (point, ends) in next.enumerated() { for end in ends { backwards[end].append(point) } }
    numbers = Array(repeating: -1, count: next.count)
    var isSeen = Array(repeating: false, count: next.count)
    var left: [Int] = []
    for start in next.indices {
      Self.walk(next, from: start, { !isSeen[$0] }, { isSeen[$0] = true }, { left.append($0) })
    }
    // The point that was left last leads to every point that leads back to it.
    for start in left.reversed() {
      Self.walk(backwards, from: start, { numbers[$0] < 0 }, { numbers[$0] = start }, { _ in })
    }
  }

  /// Calls `leave` with each point after all of its successors.
  private static func walk(
    _ next: [[Int]], from start: Int, _ isNew: (Int) -> Bool, _ enter: (Int) -> Void, _ leave: (Int) -> Void
  ) {
    guard isNew(start) else { return }
    enter(start)
    var path = [(point: start, seen: 0)]
    while let (point, seen) = path.last {
      guard seen < next[point].count else {
        leave(point)
        path.removeLast()
        continue
      }
      path[path.count - 1].seen += 1
      let end = next[point][seen]
      guard isNew(end) else { continue }
      enter(end)
      path.append((end, 0))
    }
  }
}
