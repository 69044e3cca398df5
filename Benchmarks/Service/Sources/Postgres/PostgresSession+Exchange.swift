import Foundation
import Metrics

// What is sent to the server, and heard from it.

extension PostgresSession {
  /// Sends what there is to be sent; returns whether the session goes on.
  func exchange() async -> Bool {
    while true {
      let batch = state.withLock { $0.table.nextBatch(500) }
      if batch.isEmpty { return !isOver }
      do {
        if !batch.released.isEmpty { try await send(released: batch.released) }
        if !batch.tried.isEmpty { try await send(tried: batch.tried) }
        if !batch.deferred.isEmpty { try await send(deferred: batch.deferred) }
      } catch {
        logger.warning("a statement for access failed", metadata: ["error": "\(error)"])
        return false
      }
    }
  }

  /// An answer prolongs the session, from before it was asked for.
  private func ask(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
    Counter(label: "postgres_requests").increment()
    let asked = ContinuousClock.now
    let rows = try await links.statements.query(statement, parameters, within: max(.milliseconds(1), remaining))
    state.withLock { $0.end = max($0.end, asked + limits.validity) }
    return rows
  }

  private func send(released: [(key: String, isAwaited: Bool)]) async throws {
    _ = try await ask(
      """
      SELECT pg_advisory_unlock(hashtextextended(key, 0)),
        CASE WHEN awaited THEN pg_notify('serial_tasks', 'free ' || key)::text END
      FROM unnest($1::text[], $2::bool[]) AS released (key, awaited)
      """, [array(released.map(\.key)), array(released.map { "\($0.isAwaited)" })])
  }

  /// Locks the keys that are free and counts their rows, in one transaction; asks the holders of the others.
  private func send(tried keys: [String]) async throws {
    let rows: [[String?]]
    do {
      rows = try await ask(
        """
        WITH tried AS MATERIALIZED (
          SELECT key, pg_try_advisory_lock(hashtextextended(key, 0)) AS got FROM unnest($1::text[]) AS key
        ), counted AS (
          INSERT INTO serial_tasks_fence AS fence (key, number) SELECT key, 1 FROM tried WHERE got
          ON CONFLICT (key) DO UPDATE SET number = fence.number + 1 RETURNING key, number
        )
        SELECT tried.key, counted.number, CASE WHEN got THEN '' ELSE pg_notify('serial_tasks', 'asks ' || tried.key)::text END
        FROM tried LEFT JOIN counted ON counted.key = tried.key
        """, [array(keys)])
    } catch let error as PostgresError {
      guard case .refused = error else { throw error }
      // Locks outlive a statement that fails.
      _ = try await ask(
        "SELECT pg_advisory_unlock(hashtextextended(key, 0)) FROM unnest($1::text[]) AS key", [array(keys)])
      return fail(keys, error)
    }
    for row in rows {
      guard let key = row[0], let number = row[1].flatMap(UInt64.init) else { continue }
      let tell = state.withLock { $0.table.grant(key) }
      tell?(.granted(number))
    }
  }

  private func send(deferred keys: [String]) async throws {
    _ = try await ask(
      "SELECT pg_notify('serial_tasks', 'asks ' || key) FROM unnest($1::text[]) AS key", [array(keys)])
  }

  private func fail(_ keys: [String], _ error: PostgresError) {
    for key in keys {
      let tell = state.withLock { $0.table.fail(key) }
      tell?(.failed(error))
    }
  }

  /// Returns whether the session goes on.
  func hear(_ notifications: [PostgresNotification]) async -> Bool {
    for notification in notifications where notification.sender != process {
      let (word, key) = (notification.payload.prefix(5), String(notification.payload.dropFirst(5)))
      switch word {
      case "asks ": state.withLock { $0.table.asked(key) }?()
      case "free ": if state.withLock({ $0.table.freed(key) }) { work.signal.yield() }
      default: break
      }
    }
    return !isOver
  }

  /// Asks again for what other processes hold, and prolongs the session; returns whether it goes on.
  func tick() async -> Bool {
    try? await Task.sleep(for: min(limits.interval, max(.milliseconds(1), remaining)))
    if isOver {
      await end()
      return false
    }
    let mustAsk = state.withLock { state in
      state.table.askAgain()
      return state.table.isWaiting
    }
    if mustAsk { work.signal.yield() }
    if remaining < limits.validity * 2 / 3 { prolong() }
    return true
  }

  private func prolong() {
    Task { [weak self] in
      do { _ = try await self?.ask("SELECT 1", []) } catch { await self?.end() }
    }
  }

  /// An array as PostgreSQL reads it.
  private func array(_ values: [String]) -> String {
    let quoted = values.map {
      "\"" + $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    return "{" + quoted.joined(separator: ",") + "}"
  }
}
