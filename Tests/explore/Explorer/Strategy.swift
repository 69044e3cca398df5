/// Chooses what runs next.
///
/// A strategy is a function of its seed and of what it is offered, of nothing else: that makes a schedule repeatable.
protocol Strategy {
  /// - Parameters:
  ///   - ready: What can run, in the order in which it became runnable; never empty.
  ///   - running: The task that could be preempted; `nil` if none runs, and then a task has to be chosen.
  /// - Returns: An index of `ready`, or `nil` to let the running task go on.
  mutating func choose(from ready: [Runnable], running: Int?) -> Int?
}

/// Every choice with the same probability.
struct RandomStrategy: Strategy {
  private var random: SplitMix
  /// How many of 16 points preempt: none in some schedules, most in others.
  private let eagerness: Int

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    eagerness = [0, 1, 4, 10][random.below(4)]
  }

  /// One that preempts at so many of 16 points.
  init(seed: UInt64, eagerness: Int) {
    random = SplitMix(seed: seed)
    self.eagerness = eagerness
  }

  mutating func choose(from ready: [Runnable], running: Int?) -> Int? {
    if running != nil, random.below(16) >= eagerness { return nil }
    return random.below(ready.count)
  }
}

/// Probabilistic concurrency testing: each task has a random priority, the highest runs, and at `depth - 1` random steps the
/// one that runs falls below all others.
///
/// An order bug that needs `depth` ordered events behind many other steps is found with a probability that pure chance does
/// not reach. (Burckhardt and others, *A randomized scheduler with probabilistic guarantees of finding bugs*, 2010.)
struct PriorityStrategy: Strategy {
  private let seed: UInt64
  private var changes: [Int]
  private var step = 0
  private var fallen: [Int] = []

  init(seed: UInt64, depth: Int) {
    var random = SplitMix(seed: seed)
    let length = 8 << random.below(4)
    self.seed = random.next()
    changes = (1..<max(depth, 1)).map { _ in 1 + random.below(length) }
  }

  mutating func choose(from ready: [Runnable], running: Int?) -> Int? {
    step += 1
    var index = highest(of: ready, running: running)
    if changes.contains(step), let task = index.map({ ready[$0].task }) ?? running {
      fallen.removeAll { $0 == task }
      fallen.append(task)
      index = highest(of: ready, running: running)
    }
    return index
  }

  /// The index of the highest, of the earlier one if two belong to one task; `nil` if the running task is higher.
  private func highest(of ready: [Runnable], running: Int?) -> Int? {
    var best: Int?
    var height = running.map(priority(of:)) ?? 0
    for index in ready.indices {
      let priority = priority(of: ready[index].task)
      if priority > height { (best, height) = (index, priority) }
    }
    return best ?? (running == nil ? 0 : nil)
  }

  private func priority(of task: Int) -> UInt64 {
    // Who fell last is lowest.
    if let fall = fallen.firstIndex(of: task) { return UInt64(fallen.count - fall) }
    return SplitMix.mixed(seed &+ UInt64(task)) | 1 << 63
  }
}
