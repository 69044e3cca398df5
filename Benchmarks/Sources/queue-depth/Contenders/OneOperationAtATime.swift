import Foundation

/// An operation queue that runs one operation at a time; its jobs cannot suspend.
struct OneOperationAtATime: Submitting {
  static let title = "OperationQueue"
  static let jobsMaySuspend = false
  private let queue = OperationQueue()

  init() { queue.maxConcurrentOperationCount = 1 }

  nonisolated(nonsending) func enqueue(_ work: Work) async {
    await withCheckedContinuation { done in submit(work) { done.resume() } }
  }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    queue.addOperation {
      work.now()
      done()
    }
  }
}
