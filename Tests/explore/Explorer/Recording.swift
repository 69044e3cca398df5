/// Writes down what another strategy chooses, where that is not what comes by itself: the first that can run, and no preemption.
struct Recording: Strategy {
  private var strategy: any Strategy
  private(set) var position = 0
  private(set) var choices: [Int: Int] = [:]
  /// Which of them preempt a task.
  private(set) var preemptions: Set<Int> = []

  init(of strategy: any Strategy) { self.strategy = strategy }

  mutating func choose(from ready: [Runnable], running: Int?) -> Int? {
    defer { position += 1 }
    let choice = strategy.choose(from: ready, running: running)
    if let choice, choice > 0 || running != nil { choices[position] = choice }
    if choice != nil, running != nil { preemptions.insert(position) }
    return choice
  }
}

/// Makes the choices that were written down.
struct Replay: Strategy {
  let choices: [Int: Int]
  private var position = 0

  init(_ choices: [Int: Int]) { self.choices = choices }

  mutating func choose(from ready: [Runnable], running: Int?) -> Int? {
    defer { position += 1 }
    guard let choice = choices[position] else { return running == nil ? 0 : nil }
    return min(choice, ready.count - 1)
  }
}
