import Etcd
import Foundation
import GRPCCore
import SerialTasks
import SerialTasksFenced
import SerialTasksTesting
import Servers
import Synchronization
import Testing

/// Requests that are lost, late or executed twice, and nodes that are silent.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH"))
struct EtcdFaultTests {
  private let denied = RPCError(code: .permissionDenied, message: "etcdserver: permission denied")

  /// A node, and an engine behind a network that can be meddled with.
  private func withEngine(
    _ limits: EtcdLimits = EtcdLimits(validity: .seconds(2), patience: .seconds(10)),
    _ body: (EtcdAccess, Meddler, EtcdNode, EtcdClient) async throws -> Void
  ) async throws {
    try await EtcdNode.with { node in
      let meddler = Meddler()
      let client = node.client(limits) { $0.network = meddler.pass }
      let access = EtcdAccess(client)
      // Until the node answers, and there is a session.
      let end = ContinuousClock.now + .seconds(20)
      while ContinuousClock.now < end, (try? await access.withAccess(to: "first") { _ in }) == nil {}
      // A test waits for another process, and has a time limit.
      try await withPatience(nil) { try await body(access, meddler, node, client) }
      await access.end()
      client.shutDown()
    }
  }

  /// B: a request for a place that is executed after a second one was answered, used and deleted.
  ///
  /// Fails if: a place that comes late is put, and holds the key for as long as the lease is kept alive.
  @Test(arguments: [Meddler.Fate.late, .twice]) func aLateRequestLeavesNoPlace(_ fate: Meddler.Fate) async throws {
    try await withEngine { access, meddler, _, client in
      meddler.next("take", fate)
      try await access.withAccess(to: "one") { _ in }
      #expect(meddler.late == 1)
      await meddler.deliver()
      let left = try await client.places(of: "one")
      #expect(left == 0)
      try await access.withAccess(to: "one") { _ in }
    }
  }

  /// A caller that is cancelled while its place is being put.
  ///
  /// Fails if: it does not leave at once, or its place stays.
  @Test func aCancelledRequestLeavesNoPlace() async throws {
    try await withEngine { access, meddler, _, _ in
      let put = Gate()
      meddler.next("take", .answeredAfter(put))
      let caller = Task { try await access.withAccess(to: "one") { _ in } }
      await put.waitForArrivals()
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
      put.open()
      try await access.withAccess(to: "one") { _ in }
    }
  }

  /// Three wait behind a holder: the second leaves, so that the third looks again what is before it, and then the first does.
  ///
  /// Fails if: the third takes either for the end of the holder's turn.
  @Test func oneThatLeavesLetsNoOtherIn() async throws {
    try await withEngine { access, meddler, _, _ in
      let (waiting, turns) = (Asking(), Turns())
      try await access.withAccess(to: "one") { _ in
        var leaving: [Task<Void, any Error>] = []
        for count in 1...2 {
          leaving.append(Task { try await access.withAccess(to: "one") { _ in } })
          await access.waitUntil(waiting: count)
        }
        waiting.begin { try await access.withAccess(to: "one") { turns.begin("one", $0.number) } }
        await access.waitUntil(waiting: 3)
        while let leaver = leaving.popLast() {
          let looks = meddler.calls("look")
          leaver.cancel()
          await #expect(throws: CancellationError.self) { try await leaver.value }
          while meddler.calls("look") == looks, turns.running == 0 { await Task.yield() }
          // Until it knows what is before it: the next may not leave while it looks.
          while access.waiting <= leaving.count, turns.running == 0 { await Task.yield() }
          #expect(turns.running == 0)
        }
      }
      try await waiting.end()
    }
  }

  /// Ten of eleven callers leave; the last one keeps the stream of watches open.
  ///
  /// Fails if: the watch of a caller that has left stays at the node.
  @Test func aWaitThatEndsLeavesNoWatch() async throws {
    try await withEngine { access, _, node, _ in
      let last = Asking()
      try await access.withAccess(to: "one") { _ in
        let waiting = (0..<10).map { _ in Task { try await access.withAccess(to: "one") { _ in } } }
        last.begin { try await access.withAccess(to: "one") { _ in } }
        while try await node.watches() < 11 {}
        for task in waiting { task.cancel() }
        while try await node.watches() > 1 {}
      }
      try await last.end()
    }
  }

  /// B, C: an answer that is lost, of a place that was put and is the caller's.
  ///
  /// Fails if: the second request does not find the place of the first, or the key is not released.
  @Test func aLostAnswerIsAskedForAgain() async throws {
    try await withEngine { access, meddler, _, client in
      meddler.next("take", .answerLost, .answerLost)
      try await access.withAccess(to: "one") { _ in
        let places = try await client.places(of: "one")
        #expect(places == 1)
      }
      try await access.withAccess(to: "one") { _ in }
    }
  }

  /// C: one key's transaction is not answered for as long as its caller waits.
  ///
  /// Fails if: another key's turn loses its access by that, or the first key is not granted afterwards.
  @Test func aKeyThatFailsHarmsNoOther() async throws {
    let limits = EtcdLimits(validity: .seconds(2), patience: .milliseconds(200))
    try await withEngine(limits) { access, meddler, _, _ in
      try await access.withAccess(to: "other") { fence in
        meddler.always { $0 == "take" ? .late : .delivered }
        await #expect(throws: EtcdError.self) { try await access.withAccess(to: "one") { _ in } }
        meddler.always(nil)
        try await meddler.answered("settle", 1)
        await meddler.deliver()
        try fence.check()
        try await access.withAccess(to: "one") { _ in }
        try fence.check()
      }
    }
  }

  /// C: what settles a place that may have been put is refused, for longer than the lease is valid.
  ///
  /// Fails if: the place is left, and kept alive with the lease.
  @Test func aPlaceThatCannotBeSettledEndsWithItsLease() async throws {
    let limits = EtcdLimits(validity: .seconds(2), patience: .milliseconds(200))
    try await withEngine(limits) { access, meddler, _, client in
      meddler.always { call in
        switch call {
        case "take": .answerLost
        case "settle": .refused(denied)
        default: .delivered
        }
      }
      await #expect(throws: EtcdError.self) { try await access.withAccess(to: "one") { _ in } }
      try await meddler.answered("lease revoke", 1)
      #expect(try await client.places(of: "one") == 0)
      meddler.always(nil)
      try await access.withAccess(to: "one") { _ in }
    }
  }

  /// C: a place cannot be deleted, for longer than the lease is valid.
  ///
  /// Fails if: the place is left, and kept alive with the lease.
  @Test func aPlaceThatCannotBeDeletedEndsWithItsLease() async throws {
    let limits = EtcdLimits(validity: .seconds(2), patience: .milliseconds(200))
    try await withEngine(limits) { access, meddler, _, _ in
      meddler.always { $0 == "release" ? .refused(denied) : .delivered }
      try await access.withAccess(to: "one") { _ in }
      try await expectFree("one", access)
      meddler.always(nil)
    }
  }

  /// A node puts the place, and the connection breaks before it answers; the next one refuses.
  ///
  /// Fails if: the refusal is taken for the only answer, and the place stays for as long as the lease is kept alive.
  @Test func aPlaceThatMayHaveBeenPutIsSettled() async throws {
    try await withEngine { access, meddler, _, _ in
      meddler.next("take", .answerLost, .refused(denied))
      await #expect(throws: EtcdError.self) { try await access.withAccess(to: "one") { _ in } }
      try await expectFree("one", access)
    }
  }

  /// Access can be had before a caller loses its patience.
  private func expectFree(_ key: String, _ access: EtcdAccess) async throws {
    let line = FencedSerialTaskExecutor<String>(access: access)
    try await line.enqueue(for: key, waitingAtMost: .seconds(20)) { _ in }
    try await line.drain()
  }

  /// Fails if: a cluster that is full is asked again and again until its callers have no more patience.
  @Test func aFullClusterIsARefusal() async throws {
    try await withEngine { access, meddler, _, _ in
      let before = meddler.calls("take")
      let full = RPCError(code: .resourceExhausted, message: "etcdserver: mvcc: database space exceeded")
      meddler.always { $0 == "take" ? .refused(full) : .delivered }
      await #expect {
        try await access.withAccess(to: "one") { _ in }
      } throws: { error in
        guard case EtcdError.refused = error else { return false }
        return true
      }
      #expect(meddler.calls("take") == before + 1 && meddler.calls("settle") == 0)
      meddler.always(nil)
    }
  }

  /// Fails if: a lease that was granted after many attempts is over when it is granted.
  @Test func aLeaseCountsFromTheAttemptThatWasAnswered() async throws {
    try await EtcdNode.with { node in
      let meddler = Meddler()
      let client = node.client { $0.network = meddler.pass }
      _ = try await client.revision()
      meddler.always { $0 == "lease grant" ? .late : .delivered }
      let access = EtcdAccess(client)
      async let granted: Void = access.withAccess(to: "one") { try $0.check() }
      // Longer than its validity of two seconds.
      try await meddler.called("lease grant", 15)
      meddler.always(nil)
      try await granted
      try await access.withAccess(to: "one") { _ in }
      #expect(meddler.answers("lease grant") == 1)
      await access.end()
      client.shutDown()
    }
  }

  /// All that can go wrong with single requests, at random.
  ///
  /// Fails if: two turns overlap, a number does not rise, a place is left, or a lease is lost.
  @Test func randomFaultsLeaveNothing() async throws {
    // Longer than this process may be without a processor: what is lost here is lost by a mistake.
    try await withEngine(EtcdLimits(validity: .seconds(15), patience: .seconds(10))) { access, meddler, node, client in
      let leases = meddler.calls("lease grant")
      let turns = Turns()
      meddler.always { call in
        guard ["take", "look", "release", "settle"].contains(call) else { return .delivered }
        return [.delivered, .delivered, .answerLost, .late, .twice].randomElement()!
      }
      await withTaskGroup { group in
        for caller in 0..<8 {
          group.addTask {
            for round in 0..<25 {
              let key = "key \((caller + round) % 3)"
              try? await access.withAccess(to: key) { fence in
                turns.begin(key, fence.number)
                await Task.yield()
                turns.end(key)
              }
            }
          }
        }
        group.addTask {
          for _ in 0..<40 {
            await meddler.deliver()
            try? await Task.sleep(for: .milliseconds(20))
          }
        }
      }
      meddler.always(nil)
      await meddler.deliver()
      for key in 0..<3 { try await access.withAccess(to: "key \(key)") { _ in } }
      await meddler.deliver()
      #expect(turns.wrong == [])
      for key in 0..<3 { #expect(try await client.places(of: "key \(key)") == 0) }
      #expect(meddler.calls("lease grant") == leases)
    }
  }

  /// D: a node that is frozen, and takes connections and requests all the same.
  ///
  /// Fails if: a request waits for a silent node for ever, or another is not asked.
  @Test func aSilentNodeIsLeft() async throws {
    try await EtcdNode.with { silent in
      try await EtcdNode.with { node in
        let client = node.client(before: [silent.address])
        defer { client.shutDown() }
        // Before it listens, it would refuse connections.
        let first = silent.client()
        _ = try await first.revision()
        first.shutDown()
        silent.freeze()
        defer { silent.thaw() }
        let access = EtcdAccess(client)
        try await access.withAccess(to: "one") { _ in }
        await access.end()
      }
    }
  }

  /// Fails if: a node that refuses connections is asked for ever, or a request is not sent to the next.
  @Test func aDeadNodeIsLeft() async throws {
    try await EtcdNode.with { node in
      let client = node.client(before: ["http://127.0.0.1:\(ServerProcess.freePort())"])
      defer { client.shutDown() }
      let access = EtcdAccess(client)
      try await access.withAccess(to: "one") { _ in }
      await access.end()
    }
  }

  /// D, E: a node that is frozen for a while, in the middle of a wait; then it goes on.
  ///
  /// Fails if: the waiter is not told of the release, because its stream did not survive.
  @Test func aWaitSurvivesItsStream() async throws {
    let limits = EtcdLimits(validity: .seconds(10), attempt: .milliseconds(300), patience: .seconds(10))
    try await withEngine(limits) { access, meddler, node, client in
      let other = EtcdAccess(client)
      let waiting = Asking()
      try await access.withAccess(to: "one") { _ in
        waiting.begin { try await other.withAccess(to: "one") { _ in } }
        try await meddler.answered("take", 3)
        node.freeze()
        // Longer than the stream is given for a sign of life.
        try await Task.sleep(for: .seconds(1))
        node.thaw()
      }
      try await waiting.end()
      await other.end()
    }
  }

  /// E: renewals that are lost.
  ///
  /// Fails if: a renewal that failed is not tried again at once, and the lease is lost.
  @Test func aLostRenewalIsTriedAgain() async throws {
    try await withEngine { access, meddler, _, client in
      try await access.withAccess(to: "one") { fence in
        let before = meddler.calls("lease keep-alive")
        meddler.next("lease keep-alive", .late, .late, .late, .late)
        try await meddler.called("lease keep-alive", before + 6)
        try fence.check()
      }
    }
  }

  /// E: a renewal whose answer comes when the lease is over.
  ///
  /// Fails if: the lease counts as valid from then on, although etcd counts from when it was renewed.
  @Test func aLateRenewalProlongsNothing() async throws {
    try await withEngine { access, meddler, _, client in
      try await access.withAccess(to: "one") { fence in
        let answer = Gate()
        meddler.next("lease keep-alive", .answeredAfter(answer))
        await answer.waitForArrivals()
        // Until etcd has ended the lease.
        while try await client.places(of: "one") > 0 {}
        func isHeld() -> Bool { (try? fence.check()) != nil }
        answer.open()
        while meddler.calls("lease revoke") == 0, !isHeld() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(!isHeld())
      }
    }
  }

  /// Fails if: a waiter misses a release whose revision is compacted before its watch begins, reports an error, or
  /// waits for ever.
  @Test func aCompactedHistoryIsSurvived() async throws {
    try await withEngine { access, meddler, _, client in
      let (other, waiting, seen) = (EtcdAccess(client), Asking(), Gate())
      try await access.withAccess(to: "one") { _ in
        meddler.next("take", .answeredAfter(seen))
        waiting.begin { try await other.withAccess(to: "one") { _ in } }
        await seen.waitForArrivals()
        // What it has seen is history when it begins to watch.
        try await access.withAccess(to: "another") { _ in }
        try await client.compact(try await client.revision())
        let looks = meddler.calls("look")
        seen.open()
        try await meddler.called("look", looks + 1)
      }
      try await waiting.end()
      #expect(try await client.places(of: "one") == 0)
      await other.end()
    }
  }
}

/// The turns of several keys, as they follow each other.
private final class Turns: Sendable {
  private struct State {
    var inside: Set<String> = []
    var last: [String: UInt64] = [:]
    var wrong: [String] = []
  }

  private let state = Mutex(State())

  var wrong: [String] { state.withLock { $0.wrong } }
  var running: Int { state.withLock { $0.inside.count } }

  func begin(_ key: String, _ number: UInt64) {
    state.withLock { state in
      if !state.inside.insert(key).inserted { state.wrong.append("two turns of \(key)") }
      if number <= state.last[key] ?? 0 { state.wrong.append("\(key): \(number) after \(state.last[key]!)") }
      state.last[key] = number
    }
  }

  func end(_ key: String) { state.withLock { _ = $0.inside.remove(key) } }
}
