import Postgres
import SerialTasks
import Synchronization

/// A PostgreSQL server, over so many connections.
package final class PostgresDatabase: SQLDatabase {
  private let connect: @Sendable (Duration) async throws -> any PostgresLink
  private let limit: Duration
  private let idle = Mutex<[any PostgresLink]>([])
  private let number = Atomic<UInt64>(0)
  /// Lets so many transactions run at a time; others wait, in their order.
  private let gate: KeyedSerialTaskExecutor<UInt64>
  /// Until when no job tries to reach the server, because one has just tried in vain.
  private let awayUntil = Mutex<ContinuousClock.Instant?>(nil)
  private let pause: Duration

  /// - Parameters:
  ///   - parameters: Those of libpq, such as `host=10.0.0.1 dbname=bank`.
  ///   - connections: How many transactions run at a time.
  ///   - limit: How long a statement may take.
  ///   - wrap: Stands between the store and a connection; for tests.
  package convenience init(
    _ parameters: String, connections: Int = 10, limit: Duration = .seconds(5),
    over wrap: @escaping @Sendable (any PostgresLink) -> any PostgresLink = { $0 }
  ) {
    let milliseconds = Int(limit / .milliseconds(1))
    self.init(connections: connections, limit: limit) { patience in
      let link = try await LibpqLink.connect(parameters, within: patience)
      // A connection that is cut off while its transaction is open leaves its locks to others soon.
      try await link.query(
        """
        SELECT set_config('idle_in_transaction_session_timeout', $1, false), set_config('lock_timeout', $1, false),
          set_config('tcp_user_timeout', $1, false), set_config('application_name', 'bank', false)
        """, ["\(milliseconds)"], within: patience)
      return wrap(link)
    }
  }

  /// - Parameters:
  ///   - connections: How many transactions run at a time.
  ///   - limit: How long a transaction waits for its turn, and how long a statement may take.
  ///   - pause: After a server that does not answer, how long others are told so at once.
  ///   - connect: Makes a connection, within this time.
  package init(
    connections: Int, limit: Duration, pauseAfterFailure pause: Duration = .seconds(1),
    _ connect: @escaping @Sendable (Duration) async throws -> any PostgresLink
  ) {
    self.connect = connect
    self.limit = limit
    self.pause = pause
    gate = KeyedSerialTaskExecutor(name: "connections", maximumConcurrentJobs: connections)
  }

  package var busy: Int { gate.snapshot.running }
  package var rowLock: String { " FOR UPDATE" }

  package func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
    try await withLink { link in
      do { return try await link.query(statement, parameters, within: limit) } catch let error as PostgresError {
        // It only reads.
        throw error.isPassing ? StoreError.notDone("\(error)") : error
      }
    }
  }

  package func transaction<Value: Sendable>(
    _ body: @Sendable (any SQLTransaction) async throws -> Value
  ) async throws -> Value {
    try await withLink { link in
      let transaction = Transaction(link: link, limit: limit)
      var isCommitting = false
      do {
        try await transaction.rows("BEGIN", [])
        let value = try await body(transaction)
        isCommitting = true
        try await transaction.rows("COMMIT", [])
        return value
      } catch {
        // Without a connection, the server rolls it back by itself.
        await Task { _ = try? await transaction.rows("ROLLBACK", []) }.value
        guard let error = error as? PostgresError, error.isPassing else { throw error }
        if isCommitting, case .unavailable = error { throw StoreError.unknown("\(error)") }
        throw StoreError.notDone("\(error)")
      }
    }
  }

  package func close() async {
    for link in idle.withLock({ links in
      defer { links = [] }; return links
    }) { await link.close() }
  }

  private struct Transaction: SQLTransaction {
    let link: any PostgresLink
    let limit: Duration

    @discardableResult
    func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
      try await link.query(statement, parameters, within: limit)
    }
  }

  /// Lends a connection; one that was lost is not lent again.
  private nonisolated(nonsending) func withLink<Value: Sendable>(
    _ body: nonisolated(nonsending) (any PostgresLink) async throws -> Value
  ) async throws -> Value {
    let place = number.wrappingAdd(1, ordering: .relaxed).newValue
    var hasBegun = false
    do {
      return try await gate.enqueue(for: place, waitingAtMost: limit) {
        hasBegun = true
        return try await withoutWaiting(body)
      }
    } catch JobRejection.late where !hasBegun { throw StoreError.notDone("all connections are in use") }
  }

  private nonisolated(nonsending) func withoutWaiting<Value: Sendable>(
    _ body: nonisolated(nonsending) (any PostgresLink) async throws -> Value
  ) async throws -> Value {
    if isAway() { throw StoreError.notDone("the database does not answer") }
    let link: any PostgresLink
    if let kept = idle.withLock({ $0.popLast() }) {
      link = kept
    } else {
      do { link = try await connect(limit) } catch let error as PostgresError {
        note(answers: false)
        throw StoreError.notDone("\(error)")
      }
      note(answers: true)
    }
    let began = ContinuousClock.now
    do {
      let value = try await body(link)
      note(answers: true)
      idle.withLock { $0.append(link) }
      return value
    } catch {
      if await link.isOpen {
        note(answers: true)
        idle.withLock { $0.append(link) }
      } else if began + limit <= .now {
        note(answers: false)
      }
      throw error
    }
  }

  private func note(answers: Bool) { awayUntil.withLock { $0 = answers ? nil : .now + pause } }

  /// Whether the server need not be tried; if that is to be found out anew, one does for all.
  ///
  /// Otherwise, each job whose turn has come would keep its turn, and its accounts from other replicas, until it has tried in
  /// vain.
  private func isAway() -> Bool {
    awayUntil.withLock { until in
      guard let end = until else { return false }
      if end > .now { return true }
      until = .now + limit
      return false
    }
  }
}

extension PostgresError {
  /// Whether it says that the server is away, full, busy or stopping, and not that the statement is wrong.
  fileprivate var isPassing: Bool {
    guard case .refused(let state, _) = self else { return true }
    // Connection, rollback (serialization, deadlock), resources, lock not available, operator's intervention, system.
    return ["08", "40", "53", "55", "57", "58"].contains(String(state.prefix(2))) || state == "25P03"
  }
}
