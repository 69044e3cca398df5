import Bank
import Logging
import SerialTasks
import ServiceLifecycle

/// Lets accepted writes end, and closes the database, when everything else has ended.
///
/// Services are stopped in the opposite order of their list, and the server is the last in it. So this one is stopped when no
/// connection is left: a write that is asked for after `close()` would be rejected.
package struct Draining: Service {
  let accounts: any Accounts
  let store: Store
  /// How long accepted writes may take.
  let limit: Duration
  /// Releases what the service holds elsewhere.
  let end: @Sendable () async -> Void
  let logger: Logger

  package init(
    _ accounts: any Accounts, _ store: Store, within limit: Duration, logger: Logger,
    end: @escaping @Sendable () async -> Void = {}
  ) {
    self.accounts = accounts
    self.store = store
    self.limit = limit
    self.end = end
    self.logger = logger
  }

  package func run() async throws {
    try? await gracefulShutdown()
    // If the group is cancelled instead, so is this task, and would wait for nothing.
    await Task {
      if await !accounts.parts.shutDown(within: limit) {
        logger.warning("not everything that was accepted has ended by itself, in time")
      }
      await end()
      do { try await store.close() } catch {
        logger.error("the database did not close", metadata: ["error": "\(error)"])
      }
      logger.info("drained, and closed the database")
    }.value
  }
}
