import Bank
import Foundation
import InMemoryLogging
import Logging
import Postgres
import SerialTasksFenced
import Servers
import Synchronization
import Testing

/// A server that others use, too: through a pooler, under a prefix, and with few rights.
@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: PostgresServer.program != nil, "there is no PostgreSQL"))
struct SharedServerTests {
  /// A replica through a pooler: each of its connections ends in a process of the server, which may become another one's.
  private final class Pool: Sendable {
    private final class Link: PostgresLink {
      let process: Mutex<any PostgresLink>
      init(_ process: any PostgresLink) { self.process = Mutex(process) }
      private var link: any PostgresLink { process.withLock { $0 } }

      func query(_ statement: String, _ parameters: [String?], within limit: Duration) async throws -> [[String?]] {
        try await link.query(statement, parameters, within: limit)
      }
      func notifications(within limit: Duration) async throws -> [PostgresNotification] {
        try await link.notifications(within: limit)
      }
      var isOpen: Bool { get async { await link.isOpen } }
      func close() async {}
    }

    private let links = Mutex<[Link]>([])
    let handler = InMemoryLogHandler()

    func access(_ connect: @escaping @Sendable () async throws -> any PostgresLink) -> PostgresAccess {
      PostgresAccess(logger: Logger(label: "test") { _ in self.handler }) { _ in
        let link = Link(try await connect())
        self.links.withLock { $0.append(link) }
        return link
      }
    }

    /// Makes the statements of this replica's session run in the process of the other's.
    func join(_ other: Pool) {
      let process = other.links.withLock { $0[0] }.process.withLock { $0 }
      links.withLock { $0[0] }.process.withLock { $0 = process }
    }

    var isFoundOut: Bool {
      handler.entries.contains { "\($0.message) \($0.metadata)".contains("a pooler stands before it") }
    }
  }

  /// Fails if: a lock that a process of the server holds for one replica is taken for that of another.
  @Test func aKeyIsNotGrantedInTheProcessOfAnother() async throws {
    try await PostgresServer.with { server in
      let (pools, asking) = ([Pool(), Pool()], Asking())
      let numbers = Mutex<[UInt64]>([])
      let (holder, other) = (pools[0].access { try await server.link() }, pools[1].access { try await server.link() })
      for access in [holder, other] { try await access.withAccess(to: "first") { _ in } }
      try await holder.withAccess(to: "one") { _ in
        pools[1].join(pools[0])
        asking.begin { try await other.withAccess(to: "one") { fence in numbers.withLock { $0.append(fence.number) } } }
        let end = ContinuousClock.now + .seconds(10)
        while !pools[1].isFoundOut, end > .now { try await Task.sleep(for: .milliseconds(10)) }
        #expect(pools[1].isFoundOut && numbers.withLock { $0 } == [])
      }
      try await asking.end()
      #expect(numbers.withLock { $0 } == [2])
      await holder.end()
      await other.end()
    }
  }

  /// Fails if: a session that asks for nothing does not find out that its process serves another.
  @Test func aSilentSessionFindsOut() async throws {
    try await PostgresServer.with { server in
      let pools = [Pool(), Pool()]
      let (holder, other) = (pools[0].access { try await server.link() }, pools[1].access { try await server.link() })
      try await other.withAccess(to: "first") { _ in }
      try await holder.withAccess(to: "one") { fence in
        pools[0].join(pools[1])
        let end = ContinuousClock.now + .seconds(10)
        while (try? fence.check()) != nil, end > .now { try await Task.sleep(for: .milliseconds(10)) }
        #expect(pools[0].isFoundOut)
      }
      await holder.end()
      await other.end()
    }
  }

  /// Fails if: a replica works with a pooler that lends it a process for a statement, or does not with one that lends it for a session.
  @Test(
    .enabled(if: Pooler.program != nil, "there is no pgbouncer"), arguments: ["transaction", "statement", "session"])
  func aPoolerIsRefused(_ mode: String) async throws {
    try await PostgresServer.with { server in
      let pooler = try Pooler(of: server, mode: mode)
      defer { pooler.remove() }
      // The second one after the first, whose processes are lent again.
      for _ in 0..<2 {
        let access = PostgresAccess { try await pooler.link(within: $0) }
        let error = await #expect(throws: (any Error).self) {
          try await access.withAccess(to: "one") { try $0.check() }
          if mode == "session" { throw CancellationError() }
        }
        #expect(
          mode == "session" ? error is CancellationError : error as? PostgresError == .pooled,
          "\(mode): \(error as Any)")
        await access.end()
      }
    }
  }

  /// Fails if: two programs in one database have each other's keys, or count their grants together.
  @Test func aPrefixKeepsProgramsApart() async throws {
    try await PostgresServer.with { server in
      let (one, other) = (server.newAccess(prefix: "one/"), server.newAccess(prefix: "other/"))
      try await one.withAccess(to: "key") { first in
        async let heard: Void = one.waitUntilAnotherAsks(for: "key", under: first)
        let end = ContinuousClock.now + .seconds(5)
        while one.listening == 0, end > .now { await Task.yield() }
        try await other.withAccess(to: "key") { #expect(first.number == 1 && $0.number == 1) }
        #expect(one.listening == 1)
        await one.expire()
        try await heard
      }
      try await one.withAccess(to: "key") { _ in }
      #expect(try await [one.newestNumber(of: "key"), other.newestNumber(of: "key")] == [2, 1])
      await one.end()
      await other.end()
    }
  }

  private static let readMe = URL(filePath: #filePath).appending(path: "../../../Sources/Postgres/README.md")
    .standardized

  /// Reads a statement of the README letter for letter.
  private func statement(_ first: String) throws -> String {
    let text = try String(contentsOf: SharedServerTests.readMe, encoding: .utf8)
    let begin = try #require(text.range(of: first)).lowerBound
    return String(text[begin...].prefix { $0 != ";" })
  }

  /// A user that has no more rights than the README lists.
  ///
  /// Fails if: the engine or the store needs more, such as that to make tables which are there.
  @Test func fewRightsAreEnough() async throws {
    try await PostgresServer.with { server in
      let (owner, limit) = (PostgresDatabase(server.parameters), Duration.seconds(5))
      try await Store(owner, accounts: 2).close()
      let link = try await server.link()
      for statement in [
        "CREATE ROLE bank LOGIN", try statement("GRANT SELECT, INSERT, UPDATE ON serial_tasks_fence"),
        try statement("GRANT SELECT, INSERT, UPDATE, DELETE ON account"),
      ] { try await link.query(statement, [], within: limit) }
      let few = server.parameters.replacing("user=postgres", with: "user=bank")
      let own = try await LibpqLink.connect(few, within: limit)
      try await own.query(PostgresAccess.schema, [], within: limit)
      let access = PostgresAccess { try await LibpqLink.connect(few, within: $0) }
      let database = PostgresDatabase(few)
      let store = try await Store(database, accounts: 2)
      try await access.withAccess(to: Schema.name(0)) { fence in
        let note = Note(id: "note", text: "")
        for kind in [NoteChange.Kind.add, .update, .delete] {
          let change = NoteChange(id: "\(kind)", account: Schema.name(0), kind: kind, note: note)
          try await store.change(change, fence: fence.number)
        }
      }
      try await store.transfer(Transfer(id: "a", from: Schema.name(0), to: Schema.name(1), amount: 1)) {}
      await access.end()
      await database.close()
      await own.close()
      await link.close()
    }
  }

  /// Fails if: the README's query does not say who holds what.
  @Test func anOperatorSeesWhoHoldsWhat() async throws {
    try await PostgresServer.with { server in
      let (access, link, query) = (server.newAccess(), try await server.link(), try statement("SELECT fence.key"))
      try await access.withAccess(to: "before") { _ in }
      try await access.withAccess(to: "one") { fence in
        let found = try await link.query(query, [], within: .seconds(5))
        #expect(found.map { Array($0[..<2]) } == [["one", "\(fence.number)"]])
        #expect(found.first?[2]?.contains("127.0.0.1") == true)
      }
      await link.close()
      await access.end()
    }
  }
}

/// A pgbouncer, with its files in a folder of its own.
private struct Pooler {
  static let program = ServerProcess.find("pgbouncer", in: ["/usr/sbin"])
  private let process = ServerProcess("pgbouncer")
  private let port = ServerProcess.freePort()

  init(of server: PostgresServer, mode: String) throws {
    let folder = process.folder
    let settings = """
      [databases]
      * = host=127.0.0.1 port=\(server.port)
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(port)
      unix_socket_dir =
      auth_type = trust
      auth_file = \(folder)/users
      logfile = \(folder)/log
      pool_mode = \(mode)
      """
    try settings.write(toFile: "\(folder)/settings", atomically: true, encoding: .utf8)
    try "\"postgres\" \"\"\n".write(toFile: "\(folder)/users", atomically: true, encoding: .utf8)
    try ServerProcess.run("/bin/chown", ["-R", "postgres", folder])
    let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
    try process.start("/usr/bin/setpriv", user + [Pooler.program!, "\(folder)/settings"])
  }

  func link(within limit: Duration) async throws -> any PostgresLink {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      do {
        return try await LibpqLink.connect("host=127.0.0.1 port=\(port) user=postgres dbname=postgres", within: limit)
      } catch {
        // It has just been started.
        if ContinuousClock.now > end { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  func remove() { process.remove() }
}
