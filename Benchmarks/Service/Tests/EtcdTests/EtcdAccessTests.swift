import Etcd
import Foundation
import SerialTasks
import SerialTasksFenced
import SerialTasksFencedTesting
import Servers
import Testing

/// Against a real etcd, of Debian's package `etcd-server`.
@Suite(.serialized, .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH")) struct EtcdAccessTests {
  /// Fails if: a place is not deleted, waits for another than the one before it, is put by a request that comes late or again, or its
  /// fence is not its revision; or a holder does not hear of a place behind its own.
  @Test func allPromisesAreKept() async throws {
    try await EtcdNode.with { node in
      let meddler = Meddler()
      let client = node.client { $0.network = meddler.pass }
      defer { client.shutDown() }
      let newKey: @Sendable () -> String = { "test-\(UInt64.random(in: 0...(.max)))/with a path" }
      let access: @Sendable () -> EtcdAccess = { EtcdAccess(client) }
      var conformance = AccessConformance(access: access, key: newKey)
      conformance.expireHolder = { key in try await access().expireHolder(of: key) }
      conformance.killHolder = { key in try Holder.holdAndDie(key, ["--etcd", node.address]) }
      conformance.hearsOthers = true
      conformance.delayRequest = { _ in meddler.misdeliver("take", .late) }
      conformance.repeatRequest = { _ in meddler.misdeliver("take", .twice) }
      conformance.stopEngine = { node.stop() }
      conformance.startEngine = { try node.start() }
      for finding in await conformance.findings() {
        #expect(finding.outcome == .kept, "\(finding)")
      }
    }
  }

  /// Fails if: a caller is not let in in the order in which places were taken.
  @Test func firstComeFirstServed() async throws {
    try await EtcdNode.with { node in
      let client = node.client()
      defer { client.shutDown() }
      let order = SerialTaskExecutor()
      nonisolated(unsafe) var numbers: [UInt64] = []
      try await withThrowingTaskGroup { group in
        for _ in 0..<5 {
          let access = EtcdAccess(client)
          group.addTask {
            for _ in 0..<10 {
              try await access.withAccess(to: "one") { fence in
                try await order.enqueue { numbers.append(fence.number) }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(numbers.count == 50)
      #expect(numbers == numbers.sorted())
    }
  }

  /// Fails if: the place of a holder that was cancelled is not deleted; its lease goes on.
  @Test(.timeLimit(.minutes(1))) func aCancelledHolderReleases() async throws {
    try await EtcdNode.with { node in
      let client = node.client()
      defer { client.shutDown() }
      let access = EtcdAccess(client)
      let holder = Task {
        try await access.withAccess(to: "one") { _ in withUnsafeCurrentTask { $0?.cancel() } }
      }
      _ = await holder.result
      try await access.withAccess(to: "one") { _ in }
    }
  }

  /// For `keepsAccessFor:`.
  ///
  /// Fails if: another process that asks is not heard, before or after the holder listens; or if numbers that begin elsewhere are
  /// taken for revisions.
  @Test(.timeLimit(.minutes(1)), arguments: [0, 1 << 40]) func anotherIsHeard(_ base: UInt64) async throws {
    try await EtcdNode.with { node in
      let asking = Asking()
      let holder = EtcdAccess(node.client(), numbersBeginAt: base)
      let other = EtcdAccess(node.client(), numbersBeginAt: base)
      try await other.withAccess(to: "other") { _ in }
      try await holder.withAccess(to: "one") { fence in
        let hearing = Task { try await holder.waitUntilAnotherAsks(for: "one", under: fence) }
        while holder.waiting == 0 { await Task.yield() }
        asking.begin { try await other.withAccess(to: "one") { _ in } }
        try await inTime(hearing)
        // It has asked already.
        try await inTime(Task { try await holder.waitUntilAnotherAsks(for: "one", under: fence) })
      }
      try await asking.end()
      await holder.end()
      await other.end()
    }
  }

  /// For `keepsAccessFor:`.
  ///
  /// Fails if: a holder takes its own place, or one of another key, for that of another process, or does not return when it is
  /// cancelled.
  @Test(.timeLimit(.minutes(1)), arguments: [0, 1 << 40]) func onlyAnotherOfTheKeyIsHeard(_ base: UInt64) async throws {
    try await EtcdNode.with { node in
      let asking = Asking()
      let holder = EtcdAccess(node.client(), numbersBeginAt: base)
      let other = EtcdAccess(node.client(), numbersBeginAt: base)
      try await holder.withAccess(to: "one") { fence in
        let alone = Task { try await holder.waitUntilAnotherAsks(for: "one", under: fence) }
        while holder.waiting == 0 { await Task.yield() }
        try await holder.withAccess(to: "two") { fence in
          asking.begin { try await other.withAccess(to: "two") { _ in } }
          // The node reads what has happened in rounds, and within one it tells the watches in any order. What the third of these
          // hears comes in a later round than what the first wait could have heard.
          for _ in 0..<3 { try await inTime(Task { try await holder.waitUntilAnotherAsks(for: "two", under: fence) }) }
        }
        alone.cancel()
        await #expect(throws: CancellationError.self) { try await alone.value }
      }
      try await asking.end()
      await holder.end()
      await other.end()
    }
  }

  /// Awaits the task, which is cancelled after ten seconds.
  private func inTime(_ task: Task<Void, any Error>) async throws {
    let limit = Task {
      try await Task.sleep(for: .seconds(10))
      task.cancel()
    }
    defer { limit.cancel() }
    try await task.value
  }

  /// Fails if: ending an engine that has done nothing asks for a lease, or one that has ended makes another.
  @Test func anEndedEngineAsksForNothing() async throws {
    try await EtcdNode.with { node in
      let meddler = Meddler()
      let client = node.client { $0.network = meddler.pass }
      defer { client.shutDown() }
      let access = EtcdAccess(client)
      await access.end()
      await #expect(throws: EtcdError.ended) { try await access.withAccess(to: "one") { _ in } }
      #expect(meddler.calls("lease grant") == 0)
    }
  }

  /// Fails if: a cluster that does not answer is waited for without an end.
  @Test func anEngineThatIsAwayIsReported() async throws {
    let client = EtcdClient(EtcdCluster("http://127.0.0.1:1")!, limits: EtcdLimits(patience: .milliseconds(200)))
    let accounts = FencedSerialTaskExecutor<String>(access: EtcdAccess(client))
    await #expect(throws: EtcdError.self) { try await accounts.enqueue(for: "ann") { _ in } }
    try await accounts.drain()
    client.shutDown()
  }
}

/// What can be known of a cluster before it is asked.
@Suite struct EtcdAddressTests {
  /// Fails if: a list that holds no address, or something else, is found out only by the first request.
  @Test(arguments: [
    "", ",", "http://127.0.0.1:2379,", "127.0.0.1:2379", "http://", "ftp://127.0.0.1", "http://a,b", "https://10.0.0.1",
  ])
  func aListWithoutAddressesIsRefused(_ list: String) { #expect(EtcdCluster(list) == nil) }

  @Test func addressesAreSplit() {
    #expect(
      EtcdCluster("http://127.0.0.1:1,https://b")?.addresses == [
        .init(host: "127.0.0.1", port: 1, isSecure: false), .init(host: "b", port: 2379, isSecure: true),
      ])
  }
}
