import Logging
import SerialTasks
import SerialTasksFenced
import Synchronization

/// Access to keys for several machines, granted by a PostgreSQL server: for those who run nothing else.
///
/// A key is an advisory lock of a session, and a row that counts its grants, which is the fence. The row is raised in the
/// transaction that takes the lock, and written to the disk before the turn begins. If the process is killed, the server ends
/// its session, and the locks with it; if it is paused or cut off, the server does so after a while.
///
/// Between processes there is no order: when a key is free, those that wait try to get it. A process that has released a key
/// because another asked for it lets that one go first.
package final class PostgresAccess: ExclusiveAccess {
  private struct State {
    var session: PostgresSession?
    var hasEnded = false
  }

  private let sessions: RenewingValue<PostgresSession>
  private let state = Mutex(State())
  /// Orders the callers of this process: to the server, they are one session.
  private let callers = KeyedSerialTaskExecutor<String>(name: "access", stallPatience: nil)

  /// Asks for nothing yet.
  ///
  /// - Parameters:
  ///   - limits: How long things may take.
  ///   - logger: Is told when the session is lost.
  ///   - connect: Makes a connection, within this time.
  package init(
    limits: PostgresLimits = PostgresLimits(), logger: Logger = Logger(label: "postgres"),
    connect: @escaping @Sendable (Duration) async throws -> any PostgresLink
  ) {
    sessions = RenewingValue(name: "postgres session", pauseAfterFailure: .milliseconds(500)) { _ in
      Renewed(try await PostgresSession.begin(limits, logger, connect), validFor: .seconds(86_400 * 365))
    }
  }

  /// The table that has to be there.
  package static let schema = """
    CREATE TABLE IF NOT EXISTS serial_tasks_fence (key TEXT PRIMARY KEY, number BIGINT NOT NULL)
    """

  package nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    try await callers.enqueue(for: key) {
      let (session, number) = try await take(key)
      defer { session.release(key) }
      try await Fence.lend(number: number, check: { try session.check(number) }, to: turn)
    }
  }

  package nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
    // Without the session in which it was granted, the key is lost, and kept for nothing.
    await state.withLock { $0.session }?.othersAsk(key)
  }

  /// Releases everything at once, at the end of the process; later calls throw ``PostgresError/ended``.
  package func end() async {
    let session = state.withLock { state in
      state.hasEnded = true
      return state.session.take()
    }
    await session?.end(isIntended: true)
  }

  /// Takes the key; tries again once if the session was over.
  private nonisolated(nonsending) func take(_ key: String) async throws -> (PostgresSession, UInt64) {
    let session = try await session()
    do { return (session, try await session.take(key)) } catch PostgresError.sessionEnded {
      let next = try await self.session()
      return (next, try await next.take(key))
    }
  }

  private nonisolated(nonsending) func session() async throws -> PostgresSession {
    if state.withLock({ $0.hasEnded }) { throw PostgresError.ended }
    var session = try await sessions.value()
    if session.isOver { session = try await sessions.value(insteadOf: session) }
    let hasEnded = state.withLock { state in
      state.session = session
      return state.hasEnded
    }
    guard hasEnded else { return session }
    await session.end(isIntended: true)
    throw PostgresError.ended
  }
}

extension PostgresAccess {
  /// Makes this process lose all keys, as if it had been paused for too long; for tests.
  package func expire() async { await state.withLock { $0.session }?.end() }
}
