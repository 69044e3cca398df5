import Etcd
import Foundation
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
    let node = EtcdNode(
      isSecure: true,
      options: [
        "--cert-file", own.certificate, "--key-file", own.key, "--trusted-ca-file", own.authority, "--client-cert-auth",
      ])
    try await EtcdNode.with(node) { node in
      try await use(node) {
        $0.certificates = .init(authority: own.authority, own: own.certificate, key: own.key)
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

  /// Fails if: no token is sent, an old one is not replaced, or a refusal is asked for again without a pause.
  @Test func usersHaveTokens() async throws {
    try await EtcdNode.with(EtcdNode(options: ["--auth-token-ttl", "1"])) { node in
      try await use(node) { _ in }
      for command in ["user add root:secret", "user grant-role root root", "auth enable"] {
        let status = try ServerProcess.run(
          ServerProcess.find("etcdctl")!,
          ["--endpoints", node.address] + command.split(separator: " ").map(String.init))
        #expect(status == 0, "\(command)")
      }
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
