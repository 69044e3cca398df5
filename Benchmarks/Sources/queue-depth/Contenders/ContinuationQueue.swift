/// An actor with an array of continuations.
///
/// It has no way in from synchronous code but a task that calls it, and those come in any order.
actor ContinuationQueue: Leavable {
  static let title = "actor, array of continuations"
  private var isBusy = false
  private var nextID = 0
  private var waiters: [(id: Int, next: CheckedContinuation<Bool, Never>)] = []

  nonisolated(nonsending) func enqueue(_ work: Work) async {
    guard await enter() else { return }
    await work()
    await leave()
  }

  private func enter() async -> Bool {
    guard isBusy else {
      isBusy = true
      return true
    }
    let id = nextID
    nextID += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { next in
        if Task.isCancelled { next.resume(returning: false) } else { waiters.append((id, next)) }
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  private func leave() {
    if waiters.isEmpty { isBusy = false } else { waiters.removeFirst().next.resume(returning: true) }
  }

  private func cancel(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).next.resume(returning: false)
  }

  func block() { isBusy = true }
  nonisolated(nonsending) func enqueueOrLeave() async { await enqueue(.nothing) }
  var waiting: Int { waiters.count }
}
