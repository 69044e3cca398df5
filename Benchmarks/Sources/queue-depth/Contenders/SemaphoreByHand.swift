import ByHand

/// A semaphore whose waiters can be cancelled, and nothing else.
struct SemaphoreByHand: Contender {
  static let title = "semaphore by hand"
  private let semaphore = Semaphore()

  nonisolated(nonsending) func enqueue(_ work: Work) async {
    try! await semaphore.wait()
    await work()
    semaphore.signal()
  }
}
