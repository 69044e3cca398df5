import SerialTasks

/// One request for access to a key, and what becomes of it.
final class Holding: Sendable {
  private struct Terms: Sendable {
    var request: SubmittedJob<Void, any Error>?
    var fence: Fence?
  }

  private let terms = Lock(Terms())
  /// Opened when the request has been granted or has failed.
  let decided: Latch
  /// Opened when access is to be given back.
  private let over = Latch()

  /// - Parameter clock: Measures the limits of those who wait for access.
  init(clock: AnyClock) { decided = Latch(clock: clock) }

  /// What jobs are given: the engine's fence, which is lost too once access was given back.
  var fence: Fence { @inline(never) get { terms.withLock { $0.fence! } } }

  /// Keeps the engine's fence; the first one, if the engine grants twice.
  func keep(_ fence: Fence) {
    let lent = Fence(number: fence.number) { try fence.check() }
    terms.withLock { $0.fence = $0.fence ?? lent }
  }

  func keep(_ request: SubmittedJob<Void, any Error>) { terms.withLock { $0.request = request } }

  /// Holds access until it is to be given back.
  nonisolated(nonsending) func hold() async { _ = await over.wait() }

  func release() {
    terms.withLock { $0.fence }?.end()
    over.open()
  }

  /// No job wants access any more, and it has not been granted.
  func abandon() { terms.withLock { $0.request }?.cancel() }
}
