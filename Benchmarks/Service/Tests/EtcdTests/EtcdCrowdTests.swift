import Etcd
import Foundation
import SerialTasksFenced
import SerialTasksTesting
import Servers
import Synchronization
import Testing

/// Many keys at once, and many grants one after the other.
@Suite(.serialized, .timeLimit(.minutes(180)), .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH"))
struct EtcdCrowdTests {
  private func limits(_ validity: Duration) -> EtcdLimits {
    EtcdLimits(validity: validity, attempt: .seconds(5), patience: .seconds(60))
  }

  /// G: keys that another process holds, asked for at once; for a while, none of as many requests as may be under way is answered.
  ///
  /// Fails if: a renewal waits for requests of the burst, each waiting key has a connection, or a free key waits for those that
  /// are held.
  @Test(.timeLimit(.minutes(10))) func fourThousandKeysAtOnce() async throws {
    try await EtcdNode.with { node in
      let (network, limits, answering) = (Meddler(), limits(.seconds(15)), Gate())
      let holder = EtcdAccess(node.client(limits))
      let client = node.client(limits) { $0.network = network.pass }
      let waiter = EtcdAccess(client)
      try await waiter.withAccess(to: "free") { _ in }
      let (held, served) = (Count(), Count())
      try await withThrowingTaskGroup { group in
        for key in 0..<4_000 {
          group.addTask {
            try await holder.withAccess(to: "key \(key)") { fence in
              await held.add()
              try await served.reaches(1)
              try fence.check()
            }
          }
        }
        try await held.reaches(4_000)
        let before = openDescriptors()
        network.always { $0 == "take" ? .answeredAfter(answering) : .delivered }
        for key in 0..<4_000 {
          group.addTask {
            try await waiter.withAccess(to: "key \(key)") { fence in
              try fence.check()
              await served.add()
            }
          }
        }
        while answering.arrivals < limits.requests { try await Task.sleep(for: .milliseconds(20)) }
        let renewals = network.answers("lease keep-alive")
        while network.answers("lease keep-alive") == renewals, network.calls("lease revoke") == 0 {
          try await Task.sleep(for: .milliseconds(20))
        }
        #expect(network.answers("lease keep-alive") > renewals)
        network.always(nil)
        answering.open()
        while waiter.waiting < 4_000 { try await Task.sleep(for: .milliseconds(20)) }
        try await waiter.withAccess(to: "free") { _ in }
        #expect(openDescriptors() - before < 20)
        await served.add()
        try await group.waitForAll()
      }
      // However often it was asked for: until the node answers, which takes a while after its start.
      #expect(network.answers("lease grant") == 1)
      #expect(waiter.waiting == 0)
      await waiter.end()
      await holder.end()
    }
  }

  /// As many grants as `SERIALTASKS_GRANTS` says, or 5 000.
  ///
  /// Without `SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0`, Swift Testing keeps some 170 bytes of each: where the sleep was cancelled that
  /// would have ended a call.
  ///
  /// Fails if: a grant leaves anything in etcd or here.
  @Test func nothingLeaks() async throws {
    let grants = ProcessInfo.processInfo.environment["SERIALTASKS_GRANTS"].map { Int($0)! } ?? 5_000
    try await EtcdNode.with { node in
      let limits = limits(.seconds(3))
      let client = node.client(limits)
      let access = EtcdAccess(client)
      func run(_ count: Int) async throws {
        try await withThrowingTaskGroup { group in
          for caller in 0..<50 {
            group.addTask {
              for round in 0..<(count / 50) { try await access.withAccess(to: "key \((caller + round) % 40)") { _ in } }
            }
          }
          try await group.waitForAll()
        }
      }
      // A timer stays until it would have ended its call, which was answered long before.
      let end = ContinuousClock.now + limits.attempt
      repeat { try await run(500) } while ContinuousClock.now < end
      let before = residentKibibytes()
      for tenth in 1...10 {
        try await run(grants / 10)
        print("\(tenth * grants / 10) grants: \(before) KiB resident before them, \(residentKibibytes()) KiB now")
      }
      #expect(residentKibibytes() - before < 10_240)
      let slots = try await client.slots()
      #expect(slots <= 50)
      #expect(access.waiting == 0)
      for key in 0..<40 {
        let places = try await client.places(of: "key \(key)")
        #expect(places == 0)
      }
      await access.end()
      client.shutDown()
    }
  }
}

/// A count that can be waited for.
private actor Count {
  private var count = 0

  func add() { count += 1 }
  func reaches(_ number: Int) async throws {
    while count < number { try await Task.sleep(for: .milliseconds(20)) }
  }
}

private func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

/// Without what the allocator keeps for later.
private func residentKibibytes() -> Int {
  _ = trim(0)
  let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")[1]
  return (pages.flatMap { Int($0) } ?? 0) * 4
}

/// Safe because this is the function as `malloc.h` declares it, which Foundation does not export.
@_silgen_name("malloc_trim")
private func trim(_ bytes: Int) -> CInt
