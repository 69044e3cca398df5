/// Every schedule of a small system, one after the other: depth first through the tree of choices.
///
/// A task is preempted once at most in each schedule, or as often as asked for. Nearly every bug needs no more than one, and the
/// tree stays small.
struct ExhaustiveStrategy: Strategy {
  /// The choices of this schedule so far, each with the number of its alternatives.
  private(set) var path: [(choice: Int, count: Int)]
  private var position = 0
  private var preemptions = 0

  private let mostPreemptions: Int

  /// - Parameters:
  ///   - path: The first choices; all later ones are the first alternative.
  ///   - mostPreemptions: How often a task is preempted, at most.
  init(path: [Int] = [], mostPreemptions: Int = 1) {
    self.path = path.map { ($0, $0 + 1) }
    self.mostPreemptions = mostPreemptions
  }

  mutating func choose(from ready: [Runnable], running: Int?) -> Int? {
    guard running != nil else { return take(of: ready.count) }
    guard preemptions < mostPreemptions else { return nil }
    let choice = take(of: ready.count + 1)
    if choice == 0 { return nil }
    preemptions += 1
    return choice - 1
  }

  private mutating func take(of count: Int) -> Int {
    if count == 1 { return 0 }
    defer { position += 1 }
    if position < path.count {
      path[position].count = count
      return min(path[position].choice, count - 1)
    }
    path.append((0, count))
    return 0
  }

  /// The strategy of the next schedule; `nil` after the last.
  func successor() -> ExhaustiveStrategy? {
    var choices = path
    while let last = choices.popLast() {
      guard last.choice + 1 < last.count else { continue }
      return ExhaustiveStrategy(path: choices.map(\.choice) + [last.choice + 1], mostPreemptions: mostPreemptions)
    }
    return nil
  }
}
