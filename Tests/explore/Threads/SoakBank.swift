import SerialTasks

/// An executor with keys on real threads: transfers between a few accounts, in whatever order they are named.
final class SoakBank: Sendable {
  static let accounts = 4

  let executor = KeyedSerialTaskExecutor<Int>(name: "bank", maximumConcurrentJobs: 3)
  private let inside = (0..<SoakBank.accounts).map { _ in Counter() }
  private let running = Counter()

  /// The body of a job: no other of these accounts runs meanwhile, and not more than there are slots.
  func run(_ accounts: [Int], yields: Int) async {
    if running.up() > 3 { Soak.fail("no more jobs run than there are slots") }
    for account in accounts where inside[account].up() != 1 { Soak.fail("jobs that touch a common key never overlap") }
    for _ in 0..<yields { await Task.yield() }
    for account in accounts { inside[account].down() }
    running.down()
  }
}
