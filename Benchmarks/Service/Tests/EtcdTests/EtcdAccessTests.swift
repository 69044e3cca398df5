import Etcd
import Foundation
import SerialTasks
import SerialTasksFenced
import SerialTasksFencedTesting
import Testing

/// Against a real etcd, of Debian's package `etcd-server`.
@Suite(.serialized, .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH")) struct EtcdAccessTests {
  private let validity = Duration.seconds(2)

  private func withNode(_ body: (EtcdNode, @escaping @Sendable () -> EtcdAccess) async throws -> Void) async throws {
    let node = EtcdNode()
    try node.start()
    defer { node.remove() }
    let client = EtcdClient([node.address])
    // It may take a while until a node that has just started answers.
    try await body(node) { [validity] in EtcdAccess(client, validity: validity, patience: .seconds(10)) }
    try await client.shutDown()
  }

  /// Fails if: a place is not deleted, waits for another than the one before it, or its fence is not its revision.
  @Test func allPromisesAreKept() async throws {
    try await withNode { node, access in
      let newKey: @Sendable () -> String = { "test-\(UInt64.random(in: 0...(.max)))/with a path" }
      var conformance = AccessConformance(access: access, key: newKey)
      conformance.expireHolder = { key in try await access().expireHolder(of: key) }
      conformance.killHolder = { key in try Holder.holdAndDie(key, node.address) }
      conformance.stopEngine = { node.stop() }
      conformance.startEngine = { try node.start() }
      for finding in await conformance.findings() {
        #expect(finding.outcome == .kept, "\(finding)")
      }
    }
  }

  /// Fails if: a caller is not let in in the order in which places were taken.
  @Test func firstComeFirstServed() async throws {
    try await withNode { _, access in
      let clients = (0..<5).map { _ in access() }
      let order = SerialTaskExecutor()
      nonisolated(unsafe) var numbers: [UInt64] = []
      try await withThrowingTaskGroup { group in
        for client in clients {
          group.addTask {
            for _ in 0..<10 {
              try await client.withAccess(to: "one") { fence in
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
    try await withNode { _, access in
      let access = access()
      let holder = Task {
        try await access.withAccess(to: "one") { _ in withUnsafeCurrentTask { $0?.cancel() } }
      }
      _ = await holder.result
      try await access.withAccess(to: "one") { _ in }
    }
  }

  /// Fails if: a cluster that does not answer is waited for without an end.
  @Test func anEngineThatIsAwayIsReported() async throws {
    let client = EtcdClient(["http://127.0.0.1:1"])
    let accounts = FencedSerialTaskExecutor<String>(access: EtcdAccess(client, patience: .milliseconds(200)))
    await #expect(throws: EtcdError.self) { try await accounts.enqueue(for: "ann") { _ in } }
    try await accounts.drain()
    try await client.shutDown()
  }
}

/// What can be known of a cluster before it is asked.
@Suite struct EtcdAddressTests {
  /// Fails if: a list that holds no address, or something else, is found out only by the first request.
  @Test(arguments: ["", ",", "http://127.0.0.1:2379,", "127.0.0.1:2379", "http://", "ftp://127.0.0.1", "http://a,b"])
  func aListWithoutAddressesIsRefused(_ list: String) { #expect(EtcdClient.endpoints(in: list) == nil) }

  @Test func addressesAreSplit() {
    #expect(EtcdClient.endpoints(in: "http://127.0.0.1:1,https://b:2") == ["http://127.0.0.1:1", "https://b:2"])
  }
}

/// A process that takes a key and is killed.
private enum Holder {
  static func holdAndDie(_ key: String, _ address: String) throws -> UInt64 {
    let process = Process()
    let output = Pipe()
    // It stands beside the tests.
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "etcd-holder")
    process.arguments = [address, key, "2"]
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    guard let number = UInt64(line.filter(\.isNumber)) else { throw CocoaError(.featureUnsupported) }
    return number
  }
}
