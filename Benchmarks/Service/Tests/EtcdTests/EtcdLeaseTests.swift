import Etcd
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import SerialTasksFenced
import SerialTasksTesting
import Servers
import Testing

/// Leases that are lost, and engines that end.
@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH"))
struct EtcdLeaseTests {
  /// A process that is stopped keeps its connections, and renews nothing.
  ///
  /// Fails if: its lease is renewed by anything but itself, or has no end.
  @Test func aStoppedHolderLosesItsKey() async throws {
    try await EtcdNode.with { node in
      let client = node.client()
      let access = EtcdAccess(client)
      // Until the node answers.
      try await access.withAccess(to: "first") { _ in }
      let holder = try Holder("one", ["--etcd", node.address])
      defer { holder.end() }
      holder.signal(SIGSTOP)
      try await access.withAccess(to: "one") { #expect($0.number > holder.number) }
      await access.end()
      client.shutDown()
    }
  }

  /// Fails if: a lost lease is not logged, not counted, or counted more than once.
  @Test func aLostLeaseIsLoggedAndCounted() async throws {
    try await EtcdNode.with { node in
      let (handler, metrics) = (InMemoryLogHandler(), TestMetrics())
      let client = node.client(metrics: metrics)
      let access = EtcdAccess(client, logger: Logger(label: "test") { _ in handler })
      try await access.withAccess(to: "one") { fence in
        #expect(metrics.counterTotal(label: "etcd_leases_lost") == 0)
        #expect(metrics.counters.contains { $0.label == "etcd_requests" })
        #expect(try metrics.expectMeter("etcd_leases").values == [1])
        try await access.expireHolder(of: "one")
        while (try? fence.check()) != nil { try await Task.sleep(for: .milliseconds(10)) }
      }
      let lines = handler.entries.filter {
        $0.message == "the lease of this process is lost, and with it access to all keys"
      }
      #expect(lines.map(\.level) == [.warning])
      #expect(metrics.counterTotal(label: "etcd_leases_lost") == 1)
      try await access.withAccess(to: "one") { _ in }
      await access.end()
      #expect(try metrics.expectMeter("etcd_leases").values == [1, 0, 1, 0])
      #expect(try metrics.expectTimer("etcd_grant").values.count { $0 > 0 } == 2)
      client.shutDown()
    }
  }

  /// Fails if: those who run a replica that gets no lease are not told.
  @Test func aLeaseThatCannotBeHadIsLogged() async throws {
    let handler = InMemoryLogHandler()
    let limits = EtcdLimits(patience: .milliseconds(100))
    let client = EtcdClient(EtcdCluster("http://127.0.0.1:\(ServerProcess.freePort())")!, limits: limits)
    let access = EtcdAccess(client, logger: Logger(label: "test") { _ in handler })
    await #expect(throws: EtcdError.self) { try await access.withAccess(to: "one") { _ in } }
    #expect(handler.entries.map(\.message) == ["there is no lease, and so no access to any key"])
    client.shutDown()
  }

  /// Fails if: programs that share a cluster, with a prefix each, share keys.
  @Test func aPrefixKeepsProgramsApart() async throws {
    try await EtcdNode.with { node in
      let clients = ["one/", "two/"].map { prefix in node.client { $0.prefix = prefix } }
      let (one, two) = (EtcdAccess(clients[0]), EtcdAccess(clients[1]))
      try await one.withAccess(to: "key") { _ in
        try await two.withAccess(to: "key") { _ in
          for client in clients {
            let (places, slots) = (try await client.places(of: "key"), try await client.slots())
            #expect(places == 1 && slots == 1)
          }
        }
      }
      for access in [one, two] { await access.end() }
      for client in clients { client.shutDown() }
    }
  }

  /// A process that waits for one key loses its lease, which has another; the holder of the first goes on.
  ///
  /// Fails if: the waiter stays where it is, though its place is gone, and others pass it.
  @Test func aWaiterFindsOutThatItsLeaseIsLost() async throws {
    try await EtcdNode.with { node in
      let (meddler, holding, waiting) = (Meddler(), node.client(), Asking())
      let client = node.client { $0.network = meddler.pass }
      let (holder, access) = (EtcdAccess(holding), EtcdAccess(client))
      try await holder.withAccess(to: "one") { _ in
        try await access.withAccess(to: "two") { _ in
          waiting.begin { try await access.withAccess(to: "one") { _ in } }
          await access.waitUntil(waiting: 1)
          let takes = meddler.calls("take")
          try await access.expireHolder(of: "two")
          try await meddler.called("take", takes + 1)
        }
      }
      try await waiting.end()
      for engine in [access, holder] { await engine.end() }
      for client in [client, holding] { client.shutDown() }
    }
  }

  /// Fails if: a client that was shut down connects again, for a call that is made later, for one that waits, or behind its back.
  @Test func whatIsShutDownStaysShutDown() async throws {
    try await EtcdNode.with { node in
      let (client, holding, waiting) = (node.client(), node.client(), Asking())
      let (access, holder) = (EtcdAccess(client), EtcdAccess(holding))
      try await holder.withAccess(to: "one") { _ in
        waiting.begin { try await access.withAccess(to: "one") { _ in } }
        await access.waitUntil(waiting: 1)
        client.shutDown()
        await #expect(throws: EtcdError.ended) { try await waiting.end() }
        await #expect(throws: EtcdError.ended) { try await access.withAccess(to: "other") { _ in } }
      }
      await holder.end()
      holding.shutDown()
    }
  }

  /// The only caller has left, and the engine ends, before the first lease is there.
  ///
  /// Fails if: that lease is kept alive, by a process that has no use for it.
  @Test func anEngineThatEndsWhileItBeginsKeepsNoLease() async throws {
    try await EtcdNode.with { node in
      let (meddler, granted) = (Meddler(), Gate())
      let client = node.client { $0.network = meddler.pass }
      let access = EtcdAccess(client)
      // Until the node answers.
      _ = try await access.newestNumber()
      meddler.next("lease grant", .answeredAfter(granted))
      let caller = Task { try await access.withAccess(to: "one") { _ in } }
      await granted.waitForArrivals()
      caller.cancel()
      _ = await caller.result
      await access.end()
      granted.open()
      try await meddler.answered("lease revoke", 1)
      client.shutDown()
    }
  }
}
