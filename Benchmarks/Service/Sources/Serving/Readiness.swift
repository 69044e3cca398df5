import ServiceLifecycle
import Synchronization

/// Says whether the service is to be sent requests.
///
/// When it is asked to stop, it is not ready any more, and goes on serving for a while: until that has been noticed, and no more
/// requests come, which a server that does not listen could not answer.
package final class Readiness: Service {
  private let isStopping = Atomic(false)
  /// How long it takes until others have noticed.
  let delay: Duration

  package init(delay: Duration) { self.delay = delay }

  package var isReady: Bool { !isStopping.load(ordering: .relaxed) }

  package func run() async throws {
    try? await gracefulShutdown()
    isStopping.store(true, ordering: .relaxed)
    try? await Task.sleep(for: delay)
  }
}
