import Foundation
import Logging
import Metrics
import SerialTasksFenced
import Synchronization

/// How long things may take.
package struct PostgresLimits: Hashable, Sendable {
  /// How long the server keeps the locks of a process that it does not hear from.
  ///
  /// PostgreSQL counts in milliseconds.
  package var validity: Duration
  /// How long a call goes on trying to reach a server that does not answer.
  package var patience: Duration
  /// How often keys that another process holds are asked for again, all in one statement: a killed holder says nothing.
  package var interval: Duration

  package init(
    validity: Duration = .seconds(5), patience: Duration = .seconds(4), interval: Duration = .milliseconds(250)
  ) {
    precondition(
      validity >= .milliseconds(1) && patience >= .zero && interval > .zero, "for PostgreSQL, no time means no limit")
    self.validity = validity
    self.patience = patience
    self.interval = interval
  }
}

/// A session of the server that holds locks for this process, and what is asked for in it.
///
/// One statement takes all keys that are asked for at that moment, another releases keys. So however many keys there are, there
/// are two connections: one for statements, and one that hears what other processes say.
///
/// The server ends a session that has said nothing for `validity` (`idle_session_timeout`), and its locks with it; also one that
/// takes no answer for as long (`tcp_user_timeout`). Each answer prolongs it. A statement that waits for a row, which only a stranger
/// locks, is given up soon (`lock_timeout`), and any other before half of that time: meanwhile, the server notices nothing.
final class PostgresSession: Sendable {
  struct State {
    var table = AccessTable()
    var end: ContinuousClock.Instant
    var isOver = false
    var wasEnded = false
    var isProlonging = false
  }

  /// For statements.
  let link: any PostgresLink
  let limits: PostgresLimits
  /// Who is told when the session is lost.
  typealias Observing = (logger: Logger, metrics: any MetricsFactory)
  let observing: Observing
  let state: Mutex<State>
  let work: (stream: AsyncStream<Void>, signal: AsyncStream<Void>.Continuation)
  /// The server's process of this session, which also is what sends its notifications.
  let process: Int32
  /// What marks that process as ours.
  ///
  /// A pooler lends one process to several sessions, which would share their locks: each would be granted what another one has.
  let id: String

  /// Marks the process with `$1`; the first column is what marked it before.
  static let mark = """
    WITH before AS MATERIALIZED (SELECT current_setting('serial_tasks.session', true) AS session)
    SELECT before.session, set_config('serial_tasks.session', $1, false),\u{20}
    """

  private init(
    _ link: any PostgresLink, _ limits: PostgresLimits, _ observing: Observing, _ own: (process: Int32, id: String),
    end: ContinuousClock.Instant
  ) {
    self.link = link
    self.limits = limits
    self.observing = observing
    (process, id) = own
    state = Mutex(State(end: end))
    let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    work = (stream, signal)
  }

  deinit { work.signal.finish() }

  static func begin(
    _ limits: PostgresLimits, _ observing: Observing, _ connect: @escaping Ears.Connect
  ) async throws -> PostgresSession {
    let link = try await connect(limits.patience)
    do {
      let ears = try await Ears(limits, connect)
      do { return try await begin(limits, observing, link, ears) } catch {
        await ears.close()
        throw error
      }
    } catch {
      await link.close()
      throw error
    }
  }

  private static func begin(
    _ limits: PostgresLimits, _ observing: Observing, _ link: any PostgresLink, _ ears: Ears
  ) async throws -> PostgresSession {
    let milliseconds = Int(limits.validity / .milliseconds(1))
    let limit = { "\(max(1, milliseconds / $0))" }
    let asked = ContinuousClock.now
    let id = "\(UInt64.random(in: 0...(.max)))"
    let own = try await link.query(
      mark + """
        pg_backend_pid(), set_config('idle_session_timeout', $2, false), set_config('tcp_user_timeout', $2, false),
          set_config('lock_timeout', $3, false), set_config('statement_timeout', $4, false),
          set_config('application_name', 'serial-tasks', false), CASE current_setting('synchronous_commit')
            WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
        FROM before
        """, [id, limit(1), limit(20), limit(2)], within: limits.patience)
    if own[0][0]?.isEmpty == false { throw PostgresError.pooled }
    let process = Int32(own[0][2]!)!
    let session = PostgresSession(link, limits, observing, (process, id), end: asked + limits.validity)
    session.sessions.increment()
    // They end with the session, which ends when the access to keys is not used any more.
    Task { [weak session, stream = session.work.stream] in
      for await _ in stream {
        guard let session, await session.exchange() else { break }
      }
      await session?.end()
    }
    Task { [weak session] in while await session?.tick() == true {} }
    let found: @Sendable () -> PostgresSession? = { [weak session] in session }
    Task { await ears.hear(for: found) }
    return session
  }
}

// MARK: - Whether it is valid

extension PostgresSession: Equatable {
  static func == (one: PostgresSession, other: PostgresSession) -> Bool { one === other }

  var remaining: Duration {
    state.withLock { $0.isOver ? .zero : max(.zero, $0.end - .now) }
  }

  var isOver: Bool { remaining == .zero }

  /// How many sessions are used: one, or none.
  private var sessions: Meter { Meter(label: "postgres_sessions", factory: observing.metrics) }

  /// How many callers have no key yet.
  var waiting: Int { state.withLock { $0.table.waiting } }
  var listening: Int { state.withLock { $0.table.listening } }

  func check(_ number: UInt64) throws {
    if isOver { throw AccessError.lost(number: number, reason: "the session of this process is over") }
  }

  /// Makes nothing here rely on it from now on, and closes its connection.
  func end(isIntended: Bool = false) async {
    let (wasOver, isLost, told) = state.withLock { state in
      let wasOver = state.isOver
      let isLost = !wasOver && !state.wasEnded && !isIntended
      state.isOver = true
      state.wasEnded = state.wasEnded || isIntended
      return (wasOver, isLost, state.table.end())
    }
    work.signal.finish()
    if !wasOver { sessions.decrement() }
    if isLost {
      Counter(label: "postgres_sessions_lost", factory: observing.metrics).increment()
      observing.logger.warning("the session of this process is lost, and with it access to all keys")
    }
    for tell in told.waiting { tell(.failed(.sessionEnded)) }
    for tell in told.listening { tell() }
    await link.close()
  }
}

// MARK: - Callers

extension PostgresSession {
  /// Waits until this process has the key, which no other caller here may ask for or hold; returns the number of the grant.
  func take(_ key: Name) async throws -> UInt64 {
    let (stream, outcome) = AsyncStream.makeStream(of: AccessTable.Outcome.self, bufferingPolicy: .bufferingOldest(1))
    let isOver = state.withLock { state in
      if state.isOver { return true }
      state.table.ask(key) { outcome.yield($0) }
      return false
    }
    if isOver { throw PostgresError.sessionEnded }
    work.signal.yield()
    for await outcome in stream {
      switch outcome {
      case .granted(let number): return number
      case .failed(let error): throw error
      }
    }
    // Cancelled. If it was granted just now, it is released.
    state.withLock { state in
      state.table.leave(key)
      state.table.release(key, yieldingFor: .zero)
    }
    work.signal.yield()
    throw CancellationError()
  }

  func release(_ key: Name) {
    state.withLock { $0.table.release(key, yieldingFor: limits.interval) }
    work.signal.yield()
  }

  /// Waits until another process asks for the key, or the session is over.
  func othersAsk(_ key: Name) async {
    let (stream, asked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    if state.withLock({ $0.table.observe(key) { asked.yield() } }) { return }
    for await _ in stream { return }
  }
}
