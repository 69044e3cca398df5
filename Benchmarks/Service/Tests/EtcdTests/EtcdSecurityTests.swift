import Etcd
import Foundation
import InMemoryLogging
import Logging
import Servers
import Testing

/// TLS in both directions, users, and a cluster that begins again.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH"))
struct EtcdSecurityTests {
  private let limits = EtcdLimits(validity: .seconds(2), patience: .seconds(10))

  /// Fails if: a node is spoken to without TLS, one with a strange certificate is trusted, or no certificate is shown to it.
  @Test func certificatesAreChecked() async throws {
    let (own, strange) = (try Authority(), try Authority())
    defer {
      own.remove()
      strange.remove()
    }
    let certificates = EtcdCluster.Certificates(authority: own.authority, own: own.certificate, key: own.key)
    let node = EtcdNode(
      isSecure: true,
      options: [
        "--cert-file", own.certificate, "--key-file", own.key, "--trusted-ca-file", own.authority, "--client-cert-auth",
      ])
    try await EtcdNode.with(node) { node in
      try await use(node) { $0.certificates = certificates }
      // One of several is down.
      let down = EtcdCluster.Address(host: "localhost", port: Int(ServerProcess.freePort()), isSecure: true)
      try await use(node) {
        $0.certificates = certificates
        $0.addresses.insert(down, at: 0)
      }
      for wrong in [
        EtcdCluster.Certificates(authority: strange.authority, own: own.certificate, key: own.key),
        .init(authority: own.authority),
      ] {
        await #expect(throws: EtcdError.self) {
          try await use(node, patience: .seconds(1)) { $0.certificates = wrong }
        }
      }
    }
  }

  /// A good certificate, of another host.
  ///
  /// Fails if: the name in a node's certificate is not looked at.
  @Test func aCertificateOfAnotherHostIsRefused() async throws {
    let own = try Authority(names: "DNS:elsewhere")
    defer { own.remove() }
    let node = EtcdNode(isSecure: true, options: ["--cert-file", own.certificate, "--key-file", own.key])
    try await EtcdNode.with(node) { node in
      await #expect(throws: EtcdError.self) {
        try await use(node, patience: .seconds(2)) { $0.certificates = .init(authority: own.authority) }
      }
    }
  }

  /// A user that may have leases, and no places.
  ///
  /// Fails if: what was refused is settled, by each call for ever; or what had no answer, and is refused now, is.
  @Test func aUserWithoutRightsIsNotAskedForEver() async throws {
    try await EtcdNode.with { node in
      try await use(node) { _ in }
      for command in ["user add bank:secret", "role add none", "user grant-role bank none"] {
        try control(node, command)
      }
      try enableUsers(node)
      let (meddler, handler) = (Meddler(), InMemoryLogHandler())
      let client = node.client(limits) {
        ($0.user, $0.network) = (.init(name: "bank", password: "secret"), meddler.pass)
      }
      let access = EtcdAccess(client, logger: Logger(label: "test") { _ in handler })
      let refused = EtcdError.refused(call: "take", message: "etcdserver: permission denied")
      for _ in 0..<5 { await #expect(throws: refused) { try await access.withAccess(to: "one") { _ in } } }
      #expect(meddler.calls("settle") == 0)
      meddler.next("take", .late)
      await #expect(throws: EtcdError.self) { try await access.withAccess(to: "one") { _ in } }
      while !handler.entries.contains(where: { $0.message == "etcd refuses" }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(meddler.calls("settle") < 10)
      await access.end()
      client.shutDown()
    }
  }

  /// The stream of watches goes on, and what it began with is a token that is not known any more.
  ///
  /// The client asks for nothing else meanwhile, not even for its lease.
  ///
  /// Fails if: a watch that is refused for that is not tried again with a new token.
  @Test(.timeLimit(.minutes(1))) func aStreamGetsANewToken() async throws {
    try await EtcdNode.with { node in
      try await use(node) { _ in }
      try enableUsers(node)
      let limits = EtcdLimits(validity: .seconds(600), patience: .seconds(10))
      let clients = (0..<2).map { _ in node.client(limits) { $0.user = .init(name: "root", password: "secret") } }
      let (holder, other) = (EtcdAccess(clients[0]), EtcdAccess(clients[1]))
      let asking = [Asking(), Asking()]
      try await holder.withAccess(to: "one") { one in
        try await holder.withAccess(to: "two") { two in
          asking[0].begin { try await other.withAccess(to: "one") { _ in } }
          // The stream is there when this has ended.
          try await holder.waitUntilAnotherAsks(for: "one", under: one)
          try node.control(["--user", "root:secret", "user", "passwd", "root", "--interactive=false"], input: "secret")
          asking[1].begin { try await other.withAccess(to: "two") { _ in } }
          try await holder.waitUntilAnotherAsks(for: "two", under: two)
        }
      }
      for asking in asking { try await asking.end() }
      for access in [holder, other] { await access.end() }
      for client in clients { client.shutDown() }
    }
  }

  private func control(_ node: EtcdNode, _ command: String) throws {
    try node.control(command.split(separator: " ").map(String.init))
  }

  private func enableUsers(_ node: EtcdNode) throws {
    for command in ["user add root:secret", "user grant-role root root", "auth enable"] { try control(node, command) }
  }

  /// Fails if: no token is sent, an old one is not replaced, or a refusal is asked for again without a pause.
  @Test func usersHaveTokens() async throws {
    try await EtcdNode.with(EtcdNode(options: ["--auth-token-ttl", "1"])) { node in
      try await use(node) { _ in }
      try enableUsers(node)
      let client = node.client(limits) { $0.user = .init(name: "root", password: "secret") }
      let access = EtcdAccess(client)
      try await access.withAccess(to: "one") { _ in }
      // The node forgets a token that is not used for a second.
      try await Task.sleep(for: .seconds(3))
      try await access.withAccess(to: "one") { _ in }
      await access.end()
      client.shutDown()

      for user in [nil, EtcdCluster.User(name: "root", password: "wrong")] {
        let meddler = Meddler()
        let client = node.client(limits) { ($0.user, $0.network) = (user, meddler.pass) }
        let access = EtcdAccess(client)
        let end = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < end {
          await #expect(throws: EtcdError.self) { try await access.withAccess(to: "one") { _ in } }
        }
        #expect(meddler.calls("lease grant") + meddler.calls("authenticate") <= 5)
        client.shutDown()
      }
    }
  }

  /// Fails if: a cluster that was made anew grants numbers below those of the old one, although it was told where to begin.
  @Test func aClusterThatBeginsAgainIsFoundOut() async throws {
    try await EtcdNode.with { node in
      var highest: UInt64 = 0
      for _ in 0..<20 { highest = try await use(node) { _ in } }
      node.stop()
      try node.forget()
      try node.start()
      let client = node.client(limits)
      defer { client.shutDown() }
      #expect(try await EtcdAccess(client).newestNumber() < highest)
      let again = try await use(node, from: highest) { _ in }
      #expect(again > highest)
    }
  }

  @discardableResult
  private func use(
    _ node: EtcdNode, patience: Duration = .seconds(10), from base: UInt64 = 0,
    _ change: (inout EtcdCluster) -> Void
  ) async throws -> UInt64 {
    let client = node.client(EtcdLimits(validity: .seconds(2), patience: patience), change)
    defer { client.shutDown() }
    let access = EtcdAccess(client, numbersBeginAt: base)
    let line = Numbers()
    try await access.withAccess(to: "one") { fence in await line.add(fence.number) }
    await access.end()
    return await line.last
  }
}

private actor Numbers {
  private(set) var last: UInt64 = 0

  func add(_ number: UInt64) { last = number }
}
