import CoalescingTasks
import Logging
import Metrics
import SerialTasksFenced
import Synchronization

/// Access to keys for several machines, granted by a PostgreSQL server: for those who run nothing else.
///
/// A key is an advisory lock of a session, and a row that counts its grants, which is the fence. The row is raised in the
/// transaction that takes the lock, and written to the disk before the turn begins, also where the server's
/// `synchronous_commit` is off. If the process is killed, the server ends its session, and the locks with it; if it is paused or
/// cut off, the server does so after a while.
///
/// Between processes there is no order: when a key is free, those that wait try to get it. A process that has released a key
/// because another asked for it lets that one go first.
package final class PostgresAccess: ExclusiveAccess {
  private final class Shared: Sendable {
    let state = Mutex((session: PostgresSession?.none, hasEnded: false))
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var session: PostgresSession? { state.withLock { $0.session } }
  }

  private let sessions: RenewingValue<PostgresSession>
  private let shared = Shared()
  private let base: UInt64
  private let prefix: String
  private let metrics: any MetricsFactory
  /// Orders the callers of this process: to the server, they are one session.
  private let callers = KeyedSerialTaskExecutor<Name>(name: "access")

  /// Asks for nothing yet.
  ///
  /// - Parameters:
  ///   - limits: How long things may take.
  ///   - base: What is added to each number, for a server that was restored, or has lost the newest numbers in a failover; see
  ///     ``newestNumber(of:)``. At most 2^62.
  ///   - prefix: What the keys begin with in the database; programs that share one have one each.
  ///   - logger: Is told when the session is lost, or there is none to be had.
  ///   - metrics: Counts sessions, those that are lost, and how long grants take.
  ///   - connect: Makes a connection, within this time.
  package init(
    limits: PostgresLimits = PostgresLimits(), numbersBeginAt base: UInt64 = 0, prefix: String = "",
    logger: Logger = Logger(label: "postgres"), metrics: any MetricsFactory = MetricsSystem.factory,
    connect: @escaping @Sendable (Duration) async throws -> any PostgresLink
  ) {
    precondition(base <= 1 << 62, "no store can keep the sums")
    self.base = base
    self.prefix = prefix
    // They are there from the start: what watches for a rise would miss the first.
    for label in ["postgres_requests", "postgres_sessions_lost"] { _ = Counter(label: label, factory: metrics) }
    self.metrics = metrics
    sessions = RenewingValue(name: "postgres session", pauseAfterFailure: .milliseconds(500)) { [shared] _ in
      let session: PostgresSession
      do { session = try await PostgresSession.begin(limits, (logger, metrics), connect) } catch {
        logger.warning("there is no session, and so no access to any key", metadata: ["error": "\(error)"])
        throw error
      }
      let hasEnded = shared.state.withLock { state in
        if !state.hasEnded { state.session = session }
        return state.hasEnded
      }
      // Also if no caller waits for it any more: nothing else would end it.
      if hasEnded { await session.end(isIntended: true) }
      return Renewed(session, validFor: .seconds(86_400 * 365))
    }
  }

  /// How many bytes of UTF-8 a key has at most: an index of PostgreSQL takes no more than 2.7 kB.
  package static let longestKey = 2_000

  /// Makes the table, if it is not there: only that needs the right to.
  package static let schema = """
    DO $$ BEGIN
      IF to_regclass('serial_tasks_fence') IS NULL THEN
        CREATE TABLE IF NOT EXISTS serial_tasks_fence (key TEXT PRIMARY KEY, number BIGINT NOT NULL);
      END IF;
    EXCEPTION WHEN unique_violation THEN -- Another process has made it at this moment.
    END $$
    """

  package nonisolated(nonsending) func withAccess(
    to key: Name, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let key = prefixed(key)
    // Refused by the server, it would fail the keys that are asked for with it.
    if key.text.utf8.count > PostgresAccess.longestKey || key.text.utf8.contains(0) { throw PostgresError.badKey }
    try await callers.enqueue(for: key) {
      let asked = ContinuousClock.now
      let (session, granted) = try await take(key)
      Timer(label: "postgres_grant", factory: metrics).recordSeconds(asked.duration(to: .now) / .seconds(1))
      defer { session.release(key) }
      let number = base + granted
      try await Fence.lend(number: number, check: { try session.check(number) }, to: turn)
    }
  }

  package nonisolated(nonsending) func waitUntilAnotherAsks(for key: Name, under fence: Fence) async throws {
    // Without the session in which it was granted, the key is lost, and kept for nothing.
    await shared.session?.othersAsk(prefixed(key))
  }

  /// Releases everything at once, at the end of the process; later calls throw ``PostgresError/ended``.
  package func end() async {
    let session = shared.state.withLock { state in
      state.hasEnded = true
      return state.session.take()
    }
    await session?.end(isIntended: true)
  }

  /// The newest number of the key that the server has granted.
  ///
  /// A store that has seen a higher one has not met a late write: the server's numbers have begun again, because it was restored,
  /// or a standby took over that had not received the last ones. Then stop all replicas, and start them with `numbersBeginAt:` at or
  /// above the highest number in the store.
  package func newestNumber(of key: Name) async throws -> UInt64 {
    base + (try await session().newestNumber(of: prefixed(key)))
  }

  private func prefixed(_ key: Name) -> Name { Name(prefix + key.text) }

  /// Takes the key; tries again once if the session was over.
  private nonisolated(nonsending) func take(_ key: Name) async throws -> (PostgresSession, UInt64) {
    let session = try await session()
    do { return (session, try await session.take(key)) } catch PostgresError.sessionEnded {
      let next = try await self.session()
      return (next, try await next.take(key))
    }
  }

  private nonisolated(nonsending) func session() async throws -> PostgresSession {
    if shared.hasEnded { throw PostgresError.ended }
    var session = try await sessions.value()
    if session.isOver, !shared.hasEnded { session = try await sessions.value(insteadOf: session) }
    if shared.hasEnded { throw PostgresError.ended }
    return session
  }
}

extension PostgresAccess {
  /// How many calls wait for another process, or for the server.
  package var waiting: Int { shared.session?.waiting ?? 0 }

  /// How many holders listen whether another process asks.
  package var listening: Int { shared.session?.listening ?? 0 }

  /// Makes this process lose all keys, as if it had been paused for too long; for tests.
  package func expire() async { await shared.session?.end() }
}
