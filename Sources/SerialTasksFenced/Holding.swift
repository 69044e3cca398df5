import SerialTasks

/// One request for access to a key, and what becomes of it.
final class Holding: Sendable {
  private struct Terms: Sendable {
    var request: SubmittedJob<Void>?
    var isCancelled = false
    var fence: Fence?
  }

  private let terms = Lock(Terms())
  /// Opened when access is to be released.
  private let over: Latch

  /// - Parameter clock: Measures how long access is kept.
  init(clock: AnyClock) { over = Latch(clock: clock) }

  /// What jobs are given: the engine's fence, which is lost too once access was released.
  var fence: Fence { @inline(never) get { terms.withLock { $0.fence! } } }

  /// Keeps the engine's fence; the first one, if the engine grants twice.
  func keep(_ fence: Fence) {
    let lent = Fence(number: fence.number) { try fence.check() }
    terms.withLock { $0.fence = $0.fence ?? lent }
  }

  /// Keeps the request, which may have been given up already.
  func keep(_ request: SubmittedJob<Void>) {
    let isCancelled = terms.withLock { terms in
      terms.request = request
      return terms.isCancelled
    }
    if isCancelled { request.cancel() }
  }

  /// Holds access until it is to be released, or for so long; returns whether it is to be held on.
  nonisolated(nonsending) func hold(atMost limit: Duration? = nil) async -> Bool {
    await over.wait(atMost: limit) == .late
  }

  func release() {
    terms.withLock { $0.fence }?.end()
    over.open()
  }

  /// Cancels the request, which has not been granted.
  func cancel() {
    let request = terms.withLock { terms in
      terms.isCancelled = true
      return terms.request
    }
    request?.cancel()
  }
}
