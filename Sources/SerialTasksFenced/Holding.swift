final class Holding: Sendable {
  private struct Terms: Sendable {
    var request: SubmittedJob<Void>?
    var isCancelled = false
    var fence: Fence?
  }

  private let terms = Lock(Terms())
  /// Opened when access should be released.
  private let over: Latch

  init(clock: AnyClock) { over = Latch(clock: clock) }

  /// The engine's fence, but lost once access was released.
  var fence: Fence { @inline(never) get { terms.withLock { $0.fence! } } }

  /// Keeps the first fence if the engine grants twice.
  func keep(_ fence: Fence) {
    let lent = Fence(number: fence.number) { try fence.check() }
    terms.withLock { $0.fence = $0.fence ?? lent }
  }

  /// Keeps the request, which may already have been cancelled.
  func keep(_ request: SubmittedJob<Void>) {
    let isCancelled = terms.withLock { terms in
      terms.request = request
      return terms.isCancelled
    }
    if isCancelled { request.cancel() }
  }

  /// Returns whether to keep holding access.
  nonisolated(nonsending) func hold(atMost limit: Duration? = nil) async -> Bool {
    await over.wait(atMost: limit) == .late
  }

  nonisolated(nonsending) func ended() async -> JobRejection? { await sent.ended() }

  private var sent: SubmittedJob<Void> { @inline(never) get { terms.withLock { $0.request! } } }

  func release() {
    terms.withLock { $0.fence }?.end()
    over.open()
  }

  func cancel() {
    let request = terms.withLock { terms in
      terms.isCancelled = true
      return terms.request
    }
    request?.cancel()
  }
}
