import Logging

/// The connection on which a process hears what others say.
///
/// One that is lost is replaced, and what was missed meanwhile is said again: keys that wait are asked for again. If it cannot be
/// replaced, the session ends: a process that hears no one would release nothing early, and starve others.
struct Ears: Sendable {
  typealias Connect = @Sendable (Duration) async throws -> any PostgresLink

  private let limits: PostgresLimits
  private let connect: Connect
  private let first: any PostgresLink

  init(_ limits: PostgresLimits, _ connect: @escaping Connect) async throws {
    self.limits = limits
    self.connect = connect
    first = try await Ears.listen(limits, connect)
  }

  private static func listen(_ limits: PostgresLimits, _ connect: Connect) async throws -> any PostgresLink {
    let link = try await connect(limits.patience)
    do {
      let own = try await link.query(
        PostgresSession.mark + "set_config('application_name', 'serial-tasks-ears', false) FROM before", ["ears"],
        within: limits.patience)
      if own[0][0]?.isEmpty == false { throw PostgresError.pooled }
      try await link.query("LISTEN serial_tasks", [], within: limits.patience)
    } catch {
      await link.close()
      throw error
    }
    return link
  }

  /// Closes the connection of those that hear nothing yet.
  func close() async { await first.close() }

  /// Passes on what is heard, until the session is over or is not there any more.
  func hear(for session: @Sendable () -> PostgresSession?) async {
    var (link, spoken) = (first, ContinuousClock.now)
    while true {
      do {
        // A connection that is cut off is as silent as one on which no one speaks.
        if spoken + limits.validity / 3 < .now {
          spoken = .now
          try await link.query("SELECT 'is there'", [], within: limits.validity)
        }
        let heard = try await link.notifications(within: limits.interval)
        if session()?.hear(heard) != true { return await link.close() }
      } catch {
        await link.close()
        guard let session = session(), !session.isOver else { return }
        session.observing.logger.warning("the connection that hears others is lost", metadata: ["error": "\(error)"])
        try? await Task.sleep(for: limits.interval)
        do { link = try await Ears.listen(limits, connect) } catch {
          session.observing.logger.warning("and cannot be replaced", metadata: ["error": "\(error)"])
          return await session.end()
        }
      }
    }
  }
}
