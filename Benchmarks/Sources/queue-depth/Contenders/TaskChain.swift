import ByHand

/// A chain of tasks, each of which awaits the one before it.
struct TaskChain: Submitting {
  static let title = "chain of tasks"
  private let chain = ByHand.TaskChain()

  nonisolated(nonsending) func enqueue(_ work: Work) async { await chain.append { await work() }.value }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    chain.append {
      await work()
      done()
    }
  }
}
