import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import Postgres
import SerialTasks
import SerialTasksFenced
import SerialTasksFencedTesting
import Servers
import Synchronization
import Testing

/// Against a real PostgreSQL, of Debian's package `postgresql`.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: PostgresServer.program != nil, "there is no PostgreSQL"))
struct PostgresAccessTests {
  /// A connection repeats no request, so one that arrives twice is not among the faults of this engine.
  ///
  /// Fails if: a lock is not released, also one that is taken when its caller has left, its row is not raised with it, or a caller
  /// waits for a notification that does not come.
  @Test func allPromisesAreKept() async throws {
    try await PostgresServer.with { server in
      let network = SlowNetwork()
      let newKey: @Sendable () -> Name = { "test-\(UInt64.random(in: 0...(.max)))/with \"quotes\" and \\" }
      let accesses = Mutex<[PostgresAccess]>([])
      let access: @Sendable () -> PostgresAccess = {
        // Longer than a request may be late.
        let new = server.newAccess(validity: .seconds(20), over: network)
        accesses.withLock { $0.append(new) }
        return new
      }
      var conformance = AccessConformance(access: access, key: newKey)
      conformance.expireHolder = { _ in for access in accesses.withLock({ $0 }) { await access.expire() } }
      conformance.killHolder = { key in try Holder.holdAndDie(key.text, ["--postgres", server.parameters]) }
      conformance.hearsOthers = true
      conformance.delayRequest = { key in network.delay(String(key.text.prefix { $0 != "/" })) }
      conformance.stopEngine = { server.stop() }
      conformance.startEngine = { try server.start() }
      for finding in await conformance.findings() {
        let isRepetition = finding.promise == .aRepeatedRequestLeavesNothing
        #expect(finding.outcome == (isRepetition ? .notChecked : .kept), "\(finding)")
      }
      for access in accesses.withLock({ $0 }) { await access.end() }
    }
  }

  /// Two processes that always want the key.
  ///
  /// Fails if: a process that releases a key because another asked for it takes it again before that.
  @Test func anotherProcessHasItsTurn() async throws {
    try await PostgresServer.with { server in
      let holders = SerialTaskExecutor()
      nonisolated(unsafe) var order: [Int] = []
      let engines = [server.newAccess(), server.newAccess()]
      for engine in engines { try await engine.withAccess(to: "first") { _ in } }
      let link = try await server.link()
      try await withThrowingTaskGroup { group in
        for (number, engine) in engines.enumerated() {
          group.addTask {
            for _ in 0..<20 {
              try await engine.withAccess(to: "one") { _ in
                try await holders.enqueue { order.append(number) }
                // Long enough for the other to ask.
                try await link.query("SELECT pg_sleep(0.01)", [], within: .seconds(5))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let changes = zip(order, order.dropFirst()).count { $0 != $1 }
      #expect(changes > 15, "\(order)")
      await link.close()
      for engine in engines { await engine.end() }
    }
  }

  /// For `keepsAccessFor:`.
  ///
  /// Fails if: another process that asks is not heard, before or after the holder listens, or a holder that listens no more does not
  /// return.
  @Test(.timeLimit(.minutes(1))) func anotherIsHeard() async throws {
    try await PostgresServer.with { server in
      let asking = Asking()
      let (holder, other) = (server.newAccess(), server.newAccess())
      try await other.withAccess(to: "other") { _ in }
      try await holder.withAccess(to: "one") { fence in
        let alone = Task { try await holder.waitUntilAnotherAsks(for: "one", under: fence) }
        alone.cancel()
        _ = await alone.result
        let hearing = Task { try await holder.waitUntilAnotherAsks(for: "one", under: fence) }
        asking.begin { try await other.withAccess(to: "one") { _ in } }
        try await hearing.value
        // It has asked already.
        try await holder.waitUntilAnotherAsks(for: "one", under: fence)
      }
      try await asking.end()
      await holder.end()
      await other.end()
    }
  }

  /// A process that says nothing for longer than its validity: here, because its connection was ended by the server.
  ///
  /// Fails if: the server's end of a session is not found out, logged and counted, or a later call does not make another.
  @Test func aSessionThatIsEndedIsLost() async throws {
    try await PostgresServer.with { server in
      let (handler, metrics) = (InMemoryLogHandler(), TestMetrics())
      let access = server.newAccess(logger: Logger(label: "test") { _ in handler }, metrics: metrics)
      try await access.withAccess(to: "one") { fence in
        try await server.endConnections("serial-tasks")
        // Until it says something again.
        while (try? fence.check()) != nil { try await Task.sleep(for: .milliseconds(10)) }
      }
      let first = Mutex<UInt64>(0)
      try await access.withAccess(to: "one") { fence in first.withLock { $0 = fence.number } }
      #expect(first.withLock { $0 } == 2)
      await access.end()
      #expect(
        handler.entries.contains { $0.message == "the session of this process is lost, and with it access to all keys" }
      )
      #expect(metrics.counterTotal(label: "postgres_sessions_lost") == 1)
      #expect(metrics.counterTotal(label: "postgres_requests") > 2)
      #expect(try metrics.expectMeter("postgres_sessions").values == [1, 0, 1, 0])
      #expect(try metrics.expectTimer("postgres_grant").values.count { $0 > 0 } == 2)
    }
  }

  /// Fails if: those who run a replica that gets no session are not told.
  @Test func aSessionThatCannotBeHadIsLogged() async throws {
    let handler = InMemoryLogHandler()
    let access = PostgresAccess(logger: Logger(label: "test") { _ in handler }) { _ in
      throw PostgresError.unavailable("it is not there")
    }
    await #expect(throws: PostgresError.self) { try await access.withAccess(to: "one") { _ in } }
    #expect(handler.entries.map(\.message) == ["there is no session, and so no access to any key"])
  }

  /// A process loses its session while it waits for a key that another goes on holding.
  ///
  /// Fails if: the caller is not told, and waits for ever.
  @Test func aWaiterFindsOutThatItsSessionIsLost() async throws {
    try await PostgresServer.with { server in
      let (holder, access, waiting) = (server.newAccess(), server.newAccess(), Asking())
      try await holder.withAccess(to: "one") { _ in
        waiting.begin { try await access.withAccess(to: "one") { _ in } }
        await access.waitUntil(waiting: 1)
        await access.expire()
        // It asks again, in another session.
        await access.waitUntil(waiting: 1)
      }
      try await waiting.end()
      for engine in [access, holder] { await engine.end() }
    }
  }

  /// Fails if: keys that wait have a connection, or a statement, each.
  @Test func manyKeysTakeTwoConnections() async throws {
    try await PostgresServer.with { server in
      let (holder, waiter) = (server.newAccess(validity: .seconds(10)), server.newAccess(validity: .seconds(10)))
      let link = try await server.link()
      try await withThrowingTaskGroup { group in
        for key in 0..<1_000 {
          for engine in [holder, waiter] {
            group.addTask { try await engine.withAccess(to: "key \(key)") { _ in await Task.yield() } }
          }
        }
        try await group.waitForAll()
      }
      let rows = try await link.query(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'", [], within: .seconds(5))
      #expect(rows == [["5"]])
      let numbers = try await link.query(
        "SELECT count(*), min(number), max(number) FROM serial_tasks_fence", [], within: .seconds(5))
      #expect(numbers == [["1000", "2", "2"]])
      await link.close()
      await holder.end()
      await waiter.end()
    }
  }
}
