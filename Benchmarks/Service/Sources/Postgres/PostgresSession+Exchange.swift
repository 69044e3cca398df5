import Foundation
import Metrics

// What is sent to the server, and heard from it.

extension PostgresSession {
  /// Sends what there is to be sent; returns whether the session goes on.
  func exchange() async -> Bool {
    while true {
      let batch = state.withLock { $0.table.nextBatch(500, saidEvery: limits.interval * 4) }
      if batch.isEmpty { return !isOver }
      do {
        if !batch.released.isEmpty { try await send(released: batch.released) }
        var asked = batch.deferred
        if !batch.tried.isEmpty { asked += try await send(tried: batch.tried) }
        if !asked.isEmpty { try await send(asked: asked) }
      } catch {
        observing.logger.warning("a statement for access failed", metadata: ["error": "\(error)"])
        return false
      }
    }
  }

  /// An answer prolongs the session, from before it was asked for.
  func ask(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
    Counter(label: "postgres_requests", factory: observing.metrics).increment()
    let asked = ContinuousClock.now
    let rows = try await link.query(statement, parameters, within: max(.milliseconds(1), remaining))
    state.withLock { $0.end = max($0.end, asked + limits.validity) }
    return rows
  }

  /// Sends what says something to others, if it can be said soon: each commit that notifies waits for all that have begun to.
  ///
  /// What is not said is found out: keys are asked for again and again, and that is said again. A lock is released all the same.
  private func say(_ statement: String, _ parameters: [String?]) async throws {
    do { _ = try await ask(statement, parameters) } catch PostgresError.refused("55P03", _) {}
  }

  private func send(released: [(key: Name, isAwaited: Bool)]) async throws {
    try await say(
      """
      SELECT pg_advisory_unlock(hashtextextended(key, 0)),
        CASE WHEN awaited THEN pg_notify('serial_tasks', 'free ' || key)::text END
      FROM unnest($1::text[], $2::bool[]) AS released (key, awaited)
      """, [array(released.map(\.key.text)), array(released.map { "\($0.isAwaited)" })])
  }

  /// Locks the keys that are free and counts their rows, in one transaction; returns those whose holders are to be asked.
  ///
  /// In a statement of its own: in this one, all who say something would wait until its rows are on the disk.
  ///
  /// If the server refuses what one of them may have caused, each is tried alone: one that it refuses fails no other. For a while:
  /// what is released meanwhile waits, and so do other keys.
  private func send(tried: [(key: Name, isSaid: Bool)]) async throws -> [Name] {
    let keys = array(tried.map(\.key.text))
    let rows: [[String?]]
    do {
      rows = try await ask(
        """
        WITH tried AS MATERIALIZED (
          SELECT key,
            CASE current_setting('serial_tasks.session', true) WHEN $2
              THEN pg_try_advisory_lock(hashtextextended(key, 0)) END AS got
          FROM unnest($1::text[]) AS key
        ), counted AS (
          INSERT INTO serial_tasks_fence AS fence (key, number) SELECT key, 1 FROM tried WHERE got
          ON CONFLICT (key) DO UPDATE SET number = fence.number + 1 RETURNING key, number
        )
        SELECT tried.key, counted.number, tried.got FROM tried LEFT JOIN counted ON counted.key = tried.key
        """, [keys, id])
    } catch let error as PostgresError {
      guard case .refused(let state, _) = error else { throw error }
      // Locks outlive a statement that fails.
      _ = try await ask("SELECT pg_advisory_unlock(hashtextextended(key, 0)) FROM unnest($1::text[]) AS key", [keys])
      // Data, a constraint, a transaction that was rolled back, a limit, a locked row: one key may have done it. A server that is
      // full or has no such table refuses all.
      if tried.count > 1, ["22", "23", "40", "54", "55"].contains(state.prefix(2)) {
        let end = ContinuousClock.now + limits.validity / 4
        var asked: [Name] = []
        for one in tried {
          if end > .now {
            asked += try await send(tried: [one])
          } else {
            _ = self.state.withLock { $0.table.freed(one.key) }
          }
        }
        return asked
      }
      for one in tried { fail(one.key, error) }
      return []
    }
    if rows.contains(where: { $0[2] == nil }) { throw PostgresError.pooled }
    for row in rows {
      guard let key = row[0].map({ Name($0) }), let number = row[1].flatMap(UInt64.init) else { continue }
      let tell = state.withLock { $0.table.grant(key) }
      tell?(.granted(number))
    }
    let others = Set(rows.lazy.filter { $0[2] == "f" }.compactMap { $0[0].map { Name($0) } })
    return tried.filter { $0.isSaid && others.contains($0.key) }.map(\.key)
  }

  private func send(asked keys: [Name]) async throws {
    try await say(
      "SELECT pg_notify('serial_tasks', 'asks ' || key) FROM unnest($1::text[]) AS key", [array(keys.map(\.text))])
  }

  private func fail(_ key: Name, _ error: PostgresError) {
    let tell = state.withLock { $0.table.fail(key) }
    tell?(.failed(error))
  }

  func newestNumber(of key: Name) async throws -> UInt64 {
    let rows = try await ask("SELECT number FROM serial_tasks_fence WHERE key = $1", [key.text])
    return rows.first?[0].flatMap(UInt64.init) ?? 0
  }

  /// Returns whether the session goes on.
  func hear(_ notifications: [PostgresNotification]) -> Bool {
    for notification in notifications where notification.sender != process {
      // Not by characters: a key may begin with a mark that would be one with the blank.
      let text = notification.payload.utf8
      guard let key = String(text.dropFirst(5)).map({ Name($0) }) else { continue }
      if text.starts(with: "asks ".utf8) {
        state.withLock { $0.table.asked(key) }?()
      } else if text.starts(with: "free ".utf8) {
        if state.withLock({ $0.table.freed(key) }) { work.signal.yield() }
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
      return state.table.waiting > 0
    }
    if mustAsk { work.signal.yield() }
    if remaining < limits.validity * 2 / 3 { prolong() }
    return true
  }

  private func prolong() {
    let isUnderWay = state.withLock { state in
      defer { state.isProlonging = true }
      return state.isProlonging
    }
    if isUnderWay { return }
    Task { [weak self] in
      do { try await self?.renew() } catch { await self?.end() }
      self?.state.withLock { $0.isProlonging = false }
    }
  }

  private func renew() async throws {
    if try await ask("SELECT current_setting('serial_tasks.session', true)", []) == [[id]] { return }
    observing.logger.warning("\(PostgresError.pooled)")
    throw PostgresError.pooled
  }

  /// An array as PostgreSQL reads it.
  private func array(_ values: [String]) -> String {
    var text = "".unicodeScalars
    for value in values {
      text.append(contentsOf: (text.isEmpty ? "{\"" : ",\"").unicodeScalars)
      // Not by characters: a mark behind a quote would hide it.
      for scalar in value.unicodeScalars {
        if scalar == "\\" || scalar == "\"" { text.append("\\") }
        text.append(scalar)
      }
      text.append("\"")
    }
    return values.isEmpty ? "{}" : String(text) + "}"
  }
}
