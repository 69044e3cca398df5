import Dispatch

/// A serial dispatch queue; its jobs cannot suspend.
struct GCDQueue: Submitting {
  static let title = "DispatchQueue"
  static let jobsMaySuspend = false
  private let queue = DispatchQueue(label: "jobs")

  nonisolated(nonsending) func enqueue(_ work: Work) async {
    await withCheckedContinuation { done in submit(work) { done.resume() } }
  }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    queue.async {
      work.now()
      done()
    }
  }
}
