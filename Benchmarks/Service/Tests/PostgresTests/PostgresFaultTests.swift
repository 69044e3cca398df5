import Foundation
import InMemoryLogging
import Logging
import Postgres
import SerialTasksFenced
import SerialTasksTesting
import Servers
import Synchronization
import Testing

/// Keys that the server refuses, sessions that go silent, and connections that end.
@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: PostgresServer.program != nil, "there is no PostgreSQL"))
struct PostgresFaultTests {
  /// A client may have made up the key.
  ///
  /// Fails if: such a key is sent to the server, which ends the session, and with it every running turn's access.
  @Test(arguments: ["a\0", "\0", String(repeating: "a", count: PostgresAccess.longestKey + 1)])
  func aBadKeyIsRefused(_ key: String) async throws {
    try await PostgresServer.with { server in
      let access = server.newAccess()
      try await access.withAccess(to: Name(String(key.filter { $0 != "\0" }.dropLast()))) { fence in
        await #expect(throws: PostgresError.badKey) { try await access.withAccess(to: Name(key)) { _ in } }
        try fence.check()
      }
      #expect(access.waiting == 0)
      await access.end()
    }
  }

  /// Fails if: keys that are asked for in one statement are refused with the one that the server refuses, or stay locked.
  @Test func aRefusedKeyFailsNoOther() async throws {
    try await PostgresServer.with { server in
      let link = try await server.link()
      try await link.query("ALTER TABLE serial_tasks_fence ADD CHECK (key <> 'bad')", [], within: .seconds(5))
      await link.close()
      let network = SlowNetwork()
      let (access, other) = (server.newAccess(validity: .seconds(20), over: network), server.newAccess())
      let arrive = network.delay("first")
      let keys = (0..<10).map { Name("key \($0)") }
      try await withThrowingTaskGroup { group in
        group.addTask { try await access.withAccess(to: "first") { _ in } }
        await access.waitUntil(waiting: 1)
        // These wait for that statement, and are asked for in the next, all at once.
        for key in keys { group.addTask { try await access.withAccess(to: key) { try $0.check() } } }
        group.addTask {
          await #expect {
            try await access.withAccess(to: "bad") { _ in }
          } throws: { PostgresError.isRefused($0, "23514") }
        }
        await access.waitUntil(waiting: 12)
        await arrive()
        try await group.waitForAll()
      }
      for key in keys { try await other.withAccess(to: key) { #expect($0.number == 2) } }
      await access.end()
      await other.end()
    }
  }

  /// An operator deletes old rows, and has not committed yet.
  ///
  /// Fails if: a statement waits for the row for longer than a part of the validity, keys that are asked for with the locked one are
  /// refused with it, or the session ends.
  @Test func aLockedRowHoldsUpNoOtherKey() async throws {
    try await PostgresServer.with { server in
      let (stranger, network) = (try await server.link(), SlowNetwork())
      let (access, keys) = (server.newAccess(over: network), (0..<10).map { Name("key \($0)") })
      for key in ["locked"] + keys { try await access.withAccess(to: key) { _ in } }
      try await stranger.lock("SELECT FROM serial_tasks_fence WHERE key = 'locked' FOR UPDATE")
      try await access.withAccess(to: "held") { fence in
        let arrive = network.delay("first")
        try await withThrowingTaskGroup { group in
          group.addTask { try await access.withAccess(to: "first") { _ in } }
          await access.waitUntil(waiting: 1)
          // These wait for that statement, and are asked for in the next, all at once.
          group.addTask {
            await #expect {
              try await access.withAccess(to: "locked") { _ in }
            } throws: { PostgresError.isRefused($0, "55P03") }
          }
          for key in keys { group.addTask { try await access.withAccess(to: key) { #expect($0.number == 2) } } }
          await access.waitUntil(waiting: 12)
          await arrive()
          try await group.waitForAll()
        }
        try fence.check()
      }
      try await stranger.query("COMMIT", [], within: .seconds(5))
      try await access.withAccess(to: "locked") { #expect($0.number == 2) }
      await stranger.close()
      await access.end()
    }
  }

  /// An operator changes the table, and every statement for a key waits.
  ///
  /// Fails if: each key waits for its own limit, one after another, and what is released meanwhile stays locked.
  @Test func aLockedTableHoldsUpNoRelease() async throws {
    try await PostgresServer.with { server in
      let (stranger, link) = (try await server.link(), try await server.link())
      let access = server.newAccess()
      try await withThrowingTaskGroup { group in
        let held = Gate()
        group.addTask { try await access.withAccess(to: "held") { _ in await held.pass() } }
        await held.waitForArrivals()
        try await stranger.lock("LOCK TABLE serial_tasks_fence IN ACCESS EXCLUSIVE MODE")
        for number in 0..<200 { group.addTask { try? await access.withAccess(to: "key \(number)") { _ in } } }
        await access.waitUntil(waiting: 200)
        held.open()
        let isFree = "SELECT pg_try_advisory_lock(hashtextextended('held', 0))"
        while try await link.query(isFree, [], within: .seconds(5)) != [["t"]] {
          #expect(access.waiting > 100)
          try await Task.sleep(for: .milliseconds(10))
        }
        try await stranger.query("COMMIT", [], within: .seconds(5))
        try await group.waitForAll()
      }
      for link in [stranger, link] { await link.close() }
      await access.end()
    }
  }

  /// A process that is gone while a statement of its session waits.
  ///
  /// Fails if: the server goes on with that statement, and keeps the locks of the process, for as long as the row is locked.
  @Test func aKilledHolderThatWaitsForARowLosesItsKeys() async throws {
    try await PostgresServer.with { server in
      let (stranger, link, access) = (try await server.link(), try await server.link(), server.newAccess())
      try await access.withAccess(to: "locked") { _ in }
      try await stranger.lock("SELECT FROM serial_tasks_fence WHERE key = 'locked' FOR UPDATE")
      let holder = try Holder("one", ["--postgres", server.parameters], asking: "locked")
      let waiting = "SELECT FROM pg_stat_activity WHERE application_name = 'serial-tasks' AND wait_event_type = 'Lock'"
      while try await link.query(waiting, [], within: .seconds(5)).isEmpty {
        try await Task.sleep(for: .milliseconds(5))
      }
      holder.end()
      let line = FencedSerialTaskExecutor<Name>(access: access)
      try await line.enqueue(for: "one", waitingAtMost: .seconds(10)) { #expect($0.number > holder.number) }
      try await line.drain()
      for link in [stranger, link] { await link.close() }
      await access.end()
    }
  }

  /// Fails if: a server that refuses every key is asked for each of them alone, while releases wait.
  @Test func aServerThatRefusesAllIsAskedOnce() async throws {
    try await PostgresServer.with { server in
      let link = try await server.link()
      let network = SlowNetwork()
      let access = server.newAccess(validity: .seconds(20), over: network)
      let arrive = network.delay("first")
      try await withThrowingTaskGroup { group in
        for key in ["first"] + (0..<10).map({ Name("key \($0)") }) {
          group.addTask {
            await #expect {
              try await access.withAccess(to: key) { _ in }
            } throws: { PostgresError.isRefused($0, "42P01") }
          }
          await access.waitUntil(waiting: 1)
        }
        await access.waitUntil(waiting: 11)
        try await link.query("ALTER TABLE serial_tasks_fence RENAME TO lost", [], within: .seconds(5))
        await arrive()
        try await group.waitForAll()
      }
      #expect(network.statements(with: "pg_try_advisory_lock") == 2)
      await link.close()
      await access.end()
    }
  }

  /// Callers that are cancelled at about the time of their grants.
  ///
  /// Fails if: a key that was granted to one that has been cancelled, and has not left yet, stays locked.
  @Test func aGrantToACancelledCallerIsReleased() async throws {
    try await PostgresServer.with { server in
      let (access, other) = (server.newAccess(validity: .seconds(20)), server.newAccess())
      for round in 0..<1_000 {
        let caller = Task { try await access.withAccess(to: "one") { _ in } }
        // A grant takes about half as long as the last of them.
        let start = ContinuousClock.now
        while start.duration(to: .now) < .microseconds(2 * round) {}
        caller.cancel()
        _ = await caller.result
      }
      let line = FencedSerialTaskExecutor<Name>(access: other)
      try await line.enqueue(for: "one", waitingAtMost: .seconds(10)) { _ in }
      try await line.drain()
      await access.end()
      await other.end()
    }
  }

  /// Fails if: keys that others hold are tried again and again, what is free behind them is not, or their holder is not asked.
  @Test func aFreeKeyIsTriedBehindManyThatAreNot() async throws {
    try await PostgresServer.with { server in
      let network = SlowNetwork()
      let holder = server.newAccess(validity: .seconds(20))
      let access = server.newAccess(validity: .seconds(20), interval: .milliseconds(1), over: network)
      let held = Gate()
      try await withThrowingTaskGroup { group in
        for number in 0..<600 {
          group.addTask { try await holder.withAccess(to: "held \(number)") { _ in await held.pass() } }
        }
        await held.waitForArrivals(600)
        for number in 0..<600 { group.addTask { try await access.withAccess(to: "held \(number)") { _ in } } }
        await access.waitUntil(waiting: 600)
        let before = network.statements(with: "pg_try_advisory_lock")
        try await withThrowingTaskGroup { free in
          for number in 0..<20 { free.addTask { try await access.withAccess(to: "free \(number)") { _ in } } }
          try await free.waitForAll()
        }
        #expect(network.statements(with: "pg_try_advisory_lock") < before + 20)
        #expect(network.statements(with: "'asks '") > 0)
        held.open()
        try await group.waitForAll()
      }
      await holder.end()
      await access.end()
    }
  }

  /// A stranger's commit that notifies, and waits for a standby that is not there: all others that notify wait for it.
  ///
  /// Fails if: what is released, asked for or deferred meanwhile ends the session because it cannot be said, or is refused, or waits
  /// until it can be said, or a grant does.
  @Test func aBusyServerEndsNoSession() async throws {
    try await PostgresServer.with(options: ["synchronous_commit=local", "synchronous_standby_names=absent"]) { server in
      let (asking, late, stranger, handler) = (Asking(), Asking(), Asking(), InMemoryLogHandler())
      let accesses = [0, 1].map { _ in server.newAccess(logger: Logger(label: "test") { _ in handler }) }
      let (holder, other, limit) = (accesses[0], accesses[1], Duration.seconds(30))
      let (link, busy) = (try await server.link(), try await server.link())
      let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
      func warnings() -> [String] {
        handler.entries.filter { $0.level >= .warning }.map { "\($0.message) \($0.metadata)" }
      }
      try await busy.query("SET synchronous_commit TO 'on'", [], within: limit)
      try await holder.withAccess(to: "one") { fence in
        asking.begin { try await other.withAccess(to: "one") { try $0.check() } }
        try await holder.waitUntilAnotherAsks(for: "one", under: fence)
        let statement = "CREATE TABLE other AS SELECT pg_notify('other', '')::text"
        stranger.begin { try await busy.query(statement, [], within: limit) }
        while try await link.query("SELECT \(waiting)", [], within: limit).isEmpty { await Task.yield() }
        try await holder.withAccess(to: "two") { _ in
          late.begin { try await other.withAccess(to: "two") { try $0.check() } }
          while other.waiting < 2, warnings() == [] { await Task.yield() }
          try await other.withAccess(to: "free") { try $0.check() }
        }
        try fence.check()
      }
      try await holder.withAccess(to: "one") { try $0.check() }
      for asking in [asking, late] { try await asking.end() }
      #expect(warnings() == [])
      try await link.query("SELECT pg_cancel_backend(pid) \(waiting)", [], within: limit)
      try await stranger.end()
      for link in [link, busy] { await link.close() }
      for access in accesses { await access.end() }
    }
  }

  /// A mark is one character with what stands before it, and PostgreSQL knows nothing of characters.
  ///
  /// Fails if: such a key is not escaped, and another key is locked for it, or it is not told from what is said of it.
  @Test(arguments: ["a\\\u{301}", "\"\u{301}", "\u{301}a"]) func aKeyWithMarks(_ text: String) async throws {
    try await PostgresServer.with { server in
      let (asking, key) = (Asking(), Name(text))
      let (holder, other) = (server.newAccess(), server.newAccess())
      try await other.withAccess(to: "other") { _ in }
      try await holder.withAccess(to: key) { fence in
        let unescaped = Name(String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\\" })))
        if unescaped != key { try await other.withAccess(to: unescaped) { _ in } }
        asking.begin { try await other.withAccess(to: key) { _ in } }
        try await holder.waitUntilAnotherAsks(for: key, under: fence)
      }
      try await asking.end()
      let link = try await server.link()
      let found = try await link.query("SELECT key FROM serial_tasks_fence WHERE number = 2", [], within: .seconds(5))
      #expect(found.map { Array($0[0]!.utf8) } == [Array(text.utf8)])
      await link.close()
      await holder.end()
      await other.end()
    }
  }

  /// For C, a text ends at its first zero character.
  ///
  /// Fails if: a parameter is sent up to its zero character, or the connection is lost by one.
  @Test func aZeroCharacterIsRefused() async throws {
    try await PostgresServer.with { server in
      let link = try await server.link()
      await #expect {
        try await link.query("SELECT $1::text", ["account-0\0x"], within: .seconds(5))
      } throws: { PostgresError.isRefused($0, "22021") }
      #expect(try await link.query("SELECT $1::text", ["ä"], within: .seconds(5)) == [["ä"]])
      await link.close()
    }
  }

  /// A process that is stopped keeps its connections, and says nothing.
  ///
  /// Fails if: the server is not told to end a session that has said nothing for its validity.
  @Test func aStoppedHolderLosesItsKey() async throws {
    try await PostgresServer.with { server in
      let holder = try Holder("one", ["--postgres", server.parameters])
      defer { holder.end() }
      holder.signal(SIGSTOP)
      let access = server.newAccess()
      try await access.withAccess(to: "one") { #expect($0.number > holder.number) }
      await access.end()
    }
  }

  /// A holder whose statements reach no server any more.
  ///
  /// Fails if: its session outlives its validity here.
  @Test func aSilentConnectionLosesItsKeys() async throws {
    try await PostgresServer.with { server in
      let network = SlowNetwork()
      let (holder, other) = (server.newAccess(over: network), server.newAccess())
      try await other.withAccess(to: "other") { _ in }
      await #expect(throws: AccessError.self) {
        try await holder.withAccess(to: "one") { fence in
          network.goSilent()
          try await other.withAccess(to: "one") { #expect($0.number == fence.number + 1) }
          try fence.check()
        }
      }
      network.speak()
      await holder.end()
      await other.end()
    }
  }

  /// Fails if: a renewal is sent while the last one has no answer.
  @Test func oneRenewalIsUnderWay() async throws {
    try await PostgresServer.with { server in
      let network = SlowNetwork()
      let access = server.newAccess(over: network)
      try await access.withAccess(to: "one") { fence in
        let before = network.statements("SELECT current_setting('serial_tasks.session', true)")
        network.goSilent()
        // Until the session is over; it is to be renewed eight times meanwhile.
        while (try? fence.check()) != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(network.statements("SELECT current_setting('serial_tasks.session', true)") <= before + 1)
      }
      network.speak()
      await access.end()
    }
  }

  /// Fails if: a session is renewed once, or not at all, while a turn goes on that sends nothing.
  @Test func aLongTurnKeepsItsSession() async throws {
    try await PostgresServer.with { server in
      let network = SlowNetwork()
      let access = server.newAccess(over: network)
      try await access.withAccess(to: "one") { fence in
        let before = network.statements("SELECT current_setting('serial_tasks.session', true)")
        while network.statements("SELECT current_setting('serial_tasks.session', true)") < before + 4 {
          try fence.check()
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      await access.end()
    }
  }

  /// Fails if: a process whose second connection has ended hears no other any more, its session ends, or nothing is logged.
  @Test func lostEarsAreReplaced() async throws {
    try await PostgresServer.with { server in
      let handler = InMemoryLogHandler()
      let holder = server.newAccess(logger: Logger(label: "test") { _ in handler })
      let other = server.newAccess()
      let asking = Asking()
      try await holder.withAccess(to: "one") { fence in
        try await server.endConnections("serial-tasks-ears")
        asking.begin { try await other.withAccess(to: "one") { _ in } }
        try await holder.waitUntilAnotherAsks(for: "one", under: fence)
        try fence.check()
      }
      try await asking.end()
      #expect(handler.entries.map(\.message) == ["the connection that hears others is lost"])
      await holder.end()
      await other.end()
    }
  }

  /// Fails if: a kept key is kept although its session is over.
  @Test func aKeptKeyEndsWithItsSession() async throws {
    try await PostgresServer.with { server in
      let access = server.newAccess()
      try await access.withAccess(to: "one") { fence in
        async let hearing: Void = access.waitUntilAnotherAsks(for: "one", under: fence)
        while access.listening == 0 { await Task.yield() }
        await access.expire()
        try await hearing
        try Task.checkCancellation()
      }
      await access.end()
    }
  }

  /// Fails if: a grant is not on the disk before its turn begins, where the server does not wait for that by itself.
  @Test func grantsAreOnTheDisk() async throws {
    try await PostgresServer.with(options: ["synchronous_commit=off"]) { server in
      let links = Mutex<[any PostgresLink]>([])
      let access = PostgresAccess {
        let link = try await LibpqLink.connect(server.parameters, within: $0)
        links.withLock { $0.append(link) }
        return link
      }
      try await access.withAccess(to: "one") { _ in
        let statements = links.withLock { $0[0] }
        let found = try await statements.query("SHOW synchronous_commit", [], within: .seconds(5))
        #expect(found == [["on"]])
      }
      await access.end()
    }
  }

  /// A server whose table was lost, as one that was restored from an older backup.
  ///
  /// Fails if: it is not found out by its newest number, or grants numbers below the old ones although it was told where to begin.
  @Test func aServerThatBeginsAgainIsFoundOut() async throws {
    try await PostgresServer.with { server in
      let (before, link) = (server.newAccess(), try await server.link())
      for number in 1...3 { try await before.withAccess(to: "one") { #expect($0.number == number) } }
      #expect(try await before.newestNumber(of: "one") == 3)
      await before.end()
      try await link.query("DELETE FROM serial_tasks_fence", [], within: .seconds(5))
      await link.close()
      let after = server.newAccess()
      try await after.withAccess(to: "one") { _ in }
      #expect(try await after.newestNumber(of: "one") == 1)
      await after.end()
      let again = server.newAccess(from: 3)
      try await again.withAccess(to: "one") { #expect($0.number == 5) }
      #expect(try await again.newestNumber(of: "one") == 5)
      await again.end()
    }
  }
}

/// The connection itself.
@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: PostgresServer.program != nil, "there is no PostgreSQL"))
struct LibpqLinkTests {
  /// On this machine, where a refusal is known at once.
  ///
  /// Elsewhere it comes later, and libpq must not be asked before its socket is ready.
  ///
  /// Fails if: only the first address is tried.
  @Test func aRefusedAddressIsLeft() async throws {
    try await PostgresServer.with { server in
      let parameters = "host=127.0.0.1,127.0.0.1 port=\(ServerProcess.freePort()),\(server.port) user=postgres"
      for _ in 0..<20 { await (try LibpqLink.connect(parameters, within: .seconds(5))).close() }
    }
  }

  /// A statement that does not fit into what the system sends ahead.
  ///
  /// Fails if: the thread blocks while it sends, and the limit does not count.
  @Test func aLargeStatementToASilentServerEnds() async throws {
    try await PostgresServer.with { server in
      let link = try await server.link()
      let process = try #require(Int32(try await link.query("SELECT pg_backend_pid()", [], within: .seconds(5))[0][0]!))
      kill(process, SIGSTOP)
      defer { kill(process, SIGCONT) }
      await #expect(throws: PostgresError.self) {
        try await link.query("SELECT length($1)", [String(repeating: "a", count: 50 << 20)], within: .milliseconds(500))
      }
      #expect(await !link.isOpen)
    }
  }
}

extension PostgresAccess {
  /// Returns when so many calls wait.
  func waitUntil(waiting count: Int) async { while waiting < count { await Task.yield() } }
}

extension PostgresLink {
  /// Begins a transaction, and keeps what this statement locks.
  fileprivate func lock(_ statement: String) async throws {
    for statement in ["BEGIN", statement] { try await query(statement, [], within: .seconds(5)) }
  }
}

extension PostgresError {
  fileprivate static func isRefused(_ error: any Error, _ state: String) -> Bool {
    if case PostgresError.refused(state, _) = error { true } else { false }
  }
}
