import SerialTasks

/// One request for access to a key, and what becomes of it.
final class Holding: Sendable {
  private struct Terms: Sendable {
    var request: SubmittedJob<Void, any Error>?
    var fence: Fence?
    var isReleased = false
  }

  private let terms = Lock(Terms())
  /// Opened when the request has been granted or has failed.
  let decided: Latch
  /// Opened when access is to be given back.
  private let over = Latch()

  /// - Parameter clock: Measures the limits of those who wait for access.
  init(clock: any Clock<Duration>) { decided = Latch(clock: clock) }

  /// What jobs are given: the engine's fence, which is lost too once access was given back.
  var fence: Fence {
    let fence = terms.withLock { $0.fence! }
    return Fence(number: fence.number) { [self] in
      if terms.withLock({ $0.isReleased }) { throw AccessError.lost(number: fence.number, reason: "it was released") }
      try fence.check()
    }
  }

  func keep(_ fence: Fence) { terms.withLock { $0.fence = fence } }

  func keep(_ request: SubmittedJob<Void, any Error>) { terms.withLock { $0.request = request } }

  /// Holds access until it is to be given back.
  nonisolated(nonsending) func hold() async { _ = await over.wait() }

  func release() {
    terms.withLock { $0.isReleased = true }
    over.open()
  }

  /// No job wants access any more, and it has not been granted.
  func abandon() { terms.withLock { $0.request }?.cancel() }
}
