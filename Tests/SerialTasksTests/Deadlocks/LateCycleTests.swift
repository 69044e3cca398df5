import Synchronization
import Testing

@testable import SerialTasks

/// Cycles that are closed by a job whose caller holds no turn.
///
/// That job cannot be rejected, so a call that waits already is.
@Suite(.watched) struct LateCycleTests {
  let keyed = KeyedSerialTaskExecutor<String>(name: "keys")

  /// How the job over both keys comes.
  enum Way: CaseIterable { case enqueue, submit }

  private func come(_ way: Way, over keys: [String]) -> Task<Void, any Error> {
    switch way {
    case .enqueue: return Task.immediate { [keyed] in try await keyed.enqueue(forAll: keys) {} }
    case .submit:
      let job = keyed.submit(forAll: keys) {}
      return Task { try await job.value }
    }
  }

  /// A job of the key that drains `bob`, and waits for that when this returns.
  private func draining(inside key: String) -> Task<Void, any Error> {
    waiting(keyed, key) { [keyed] in try await keyed.drain(for: "bob") }
  }

  private nonisolated(nonsending) func drainWaits(for key: String) async throws {
    let line = keyed.line
    try await until { line.locked { _ in line.keys.queues[StableKey(key)]?.drainers.isEmpty == false } }
  }

  /// ```
  /// ann:   ann ── drains bob ··············· ✗
  /// bob:   holder ── gate
  /// both:                      ann and bob
  /// ```
  /// Fails if: a drain of a key is not looked at again when a job comes that it waits for. (Then this hangs.)
  @Test(arguments: Way.allCases, [["ann", "bob"], ["bob", "ann"]])
  func aJobOverBothKeys(_ way: Way, keys: [String]) async throws {
    let held = await HeldKey(keyed, "bob")
    let drained = draining(inside: "ann")
    let both = come(way, over: keys)
    await expectCycle(["keys[bob]", "keys[ann]", "keys[bob]"]) { try await drained.value }
    try await held.release()
    try await both.value
  }

  /// Fails if: only the first of the drains that a job closes is rejected. (Then this hangs.)
  @Test func aJobThatClosesTwo() async throws {
    let held = await HeldKey(keyed, "bob")
    let drains = ["ann", "cid"].map(draining)
    let all = come(.enqueue, over: ["ann", "bob", "cid"])
    await expectCycle(["keys[bob]", "keys[ann]", "keys[bob]"]) { try await drains[0].value }
    await expectCycle(["keys[bob]", "keys[cid]", "keys[bob]"]) { try await drains[1].value }
    try await held.release()
    try await all.value
  }

  /// Fails if: of two drains, another is rejected than the one that the job closes. (Then this hangs.)
  @Test func aJobThatClosesTheSecond() async throws {
    let held = await HeldKey(keyed, "bob")
    let drains = ["cid", "ann"].map(draining)
    let both = come(.enqueue, over: ["ann", "bob"])
    await expectCycle(["keys[bob]", "keys[ann]", "keys[bob]"]) { try await drains[1].value }
    try await held.release()
    try await both.value
    try await drains[0].value
  }

  /// Fails if: a drain is rejected because a job comes, whatever that waits for, or the drain does not wait for it.
  @Test func aJobThatClosesNone() async throws {
    let (ann, bob, log) = (await HeldKey(keyed, "ann"), await HeldKey(keyed, "bob"), Log<String>())
    let inAJob = waiting(keyed, "cid") { [keyed] in
      try await keyed.drain(for: "bob")
      log("drained in a job")
    }
    let outside = Task.immediate { [keyed] in
      try await keyed.drain(for: "bob")
      log("drained")
    }
    let both = waiting(keyed, forAll: ["ann", "bob"]) { log("both") }
    try await bob.release()
    #expect(log.entries.isEmpty)
    try await ann.release()
    try await both.value
    try await inAJob.value
    try await outside.value
    #expect(log.entries.first == "both" && log.entries.count == 3)
  }

  /// ```
  /// ann:    ann ── other ·························· done
  /// other:  other ── drains bob ··············· ✗
  /// both:                         ann and bob
  /// ```
  /// Fails if: only turns of the executor that is drained are looked at. (Then this hangs.)
  @Test func aJobThatWaitsForWhatWaitsForTheDrain() async throws {
    let (held, other, gate) = (await HeldKey(keyed, "bob"), SerialTaskExecutor(name: "other"), Gate())
    let drained = waiting(other) { [keyed] in
      await gate.pass()
      try await keyed.drain(for: "bob")
    }
    await gate.arrived()
    let ann = waiting(keyed, "ann") { try await other.enqueue {} }
    gate.open()
    try await drainWaits(for: "bob")
    let both = come(.submit, over: ["ann", "bob"])
    await expectCycle(["keys[bob]", "keys[ann]", "other", "keys[bob]"]) { try await drained.value }
    try await ann.value
    try await held.release()
    try await both.value
  }

  /// ```
  /// ann:    ann ── drains bob ························· ✗
  /// cid:    cid ── drains other ·········· done
  /// other:  other ── gate ── ann ······························ done
  /// both:                           bob and cid
  /// ```
  /// Fails if: another drain in the cycle is rejected, which no job has come to.
  @Test func aJobThatClosesACycleOfTwoDrains() async throws {
    let (held, other, gate) = (await HeldKey(keyed, "bob"), SerialTaskExecutor(name: "other"), Gate())
    let drained = draining(inside: "ann")
    let next = waiting(other) { [keyed] in
      await gate.pass()
      try await keyed.enqueue(for: "ann") {}
    }
    await gate.arrived()
    let cid = waiting(keyed, "cid") { try await other.drain() }
    gate.open()
    try await keyed.waits(for: 1)
    let both = come(.enqueue, over: ["bob", "cid"])
    await expectCycle(["keys[bob]", "keys[cid]", "other", "keys[ann]", "keys[bob]"]) { try await drained.value }
    try await next.value
    try await cid.value
    try await held.release()
    try await both.value
  }

  /// A call that leaves by itself is in no cycle.
  ///
  /// Fails if: a limit on the job that comes is not seen.
  @Test func aJobThatLeavesByItself() async throws {
    let held = await HeldKey(keyed, "bob")
    let drained = draining(inside: "ann")
    let both = Task.immediate { [keyed] in
      try await keyed.enqueue(forAll: ["ann", "bob"], waitingAtMost: .seconds(3600)) {}
    }
    try await held.release()
    both.cancel()
    await #expect(throws: CancellationError.self) { _ = try await both.value }
    try await drained.value
  }

  /// ```
  /// ann:    ann ── other ·································· done
  /// other:  other ── looks for a cycle ··· takes its place ✗
  /// both:                             ann and bob
  /// ```
  /// Fails if: a caller is not looked at again when a job has come between the two. (Then this hangs.)
  @Test func aJobThatComesBeforeTheCallerHasItsPlace() async throws {
    let (held, other, gate) = (await HeldKey(keyed, "bob"), SerialTaskExecutor(name: "other"), Gate())
    let rejected = waiting(other) { [keyed] in
      await gate.pass()
      let bob = Touched("bob")
      let caller = CallerJob(task: .current)
      let line = keyed.line
      line.locked { line.keys.prepare(caller, touching: bob, &$0) }
      let arrival = line.admit(caller, isLimited: false, label: "keys[bob]") {
        keyed.submit(forAll: ["ann", "bob"]) {}
        return line.locked { $0.joinAndBegin(caller) }
      }
      #expect(line.receive(arrival, of: caller) == nil)
      await line.waitForTurn(isolation: nil, caller)
      return caller.rejection
    }
    await gate.arrived()
    let ann = waiting(keyed, "ann") { try await other.enqueue {} }
    gate.open()
    let path = ["keys[bob]", "keys[ann]", "other", "keys[bob]"]
    #expect(try await rejected.value == .deadlock(DeadlockError(path: path)))
    try await ann.value
    try await held.release()
    try await keyed.drain()
  }

  /// One wait of a caller that holds a turn, for other turns each time that it is asked.
  private func wait(of waiter: Waiter, inside own: WaitNode, for answers: [Blockers]) -> Wait {
    let asked = Mutex(answers.makeIterator())
    return Wait(for: "this", of: ObjectIdentifier(waiter), holding: [own]) {
      asked.withLock { $0.next() } ?? answers.last!
    }
  }

  /// Fails if: what stands in the way is counted, and one has gone while another came.
  @Test func oneComesAndOneGoes() {
    let (own, other) = (SerialTaskExecutor(name: "own").line, SerialTaskExecutor(name: "other").line)
    let wait = wait(of: Waiter(), inside: own, for: [.all([other]), .all([own])])
    #expect(WaitGraph.begin(wait) { true }?.path == ["this", "this"])
    #expect(WaitGraph.waits(from: own) == 0)
  }

  /// Fails if: whether any of several has to end, or each, is not told apart.
  @Test func oneOfSeveralBecomesAll() {
    let (own, other) = (SerialTaskExecutor(name: "own").line, SerialTaskExecutor(name: "other").line)
    let answers = [Blockers(any: [own, other]), Blockers(all: [own], any: [own, other])]
    #expect(WaitGraph.begin(wait(of: Waiter(), inside: own, for: answers)) { true }?.path == ["this", "this"])
    #expect(WaitGraph.waits(from: own) == 0)
  }

  /// Fails if: two of which any had to end have become one.
  @Test func fewerOfSeveralRemain() {
    let (own, other) = (SerialTaskExecutor(name: "own").line, SerialTaskExecutor(name: "other").line)
    let answers = [Blockers(any: [own, other]), Blockers(any: [own])]
    #expect(WaitGraph.begin(wait(of: Waiter(), inside: own, for: answers)) { true }?.path == ["this", "this"])
  }

  /// Fails if: a drain that is rejected still counts until its task has gone on, and others are rejected for it.
  @Test func aRejectedDrainIsInNoCycle() {
    let (own, other, drain) = (SerialTaskExecutor(name: "own").line, SerialTaskExecutor(name: "other").line, Waiter())
    let wait = wait(of: drain, inside: own, for: [.all([other]), .all([other]), .all([own])])
    #expect(WaitGraph.begin(wait) { true } == nil)
    #expect(WaitGraph.waits(from: own) == 1)
    let stuck = WaitGraph.stuck([drain]) { .all([own]) }
    #expect(stuck.map(\.deadlock.path) == [["this", "this"]])
    #expect(WaitGraph.waits(from: own) == 0)
  }

  /// ```
  /// key 1      outer ─────────────── asks for 2 ✗
  /// key 2      holder ──────────────────────────────
  /// every key     whole, waits for both
  /// key 2            last, waits for holder and whole
  /// ```
  /// Fails if: the job ahead of a call is not followed to the whole job that it waits for. (Then this hangs.)
  @Test func behindAJobThatWaitsForAWholeOne() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes")
    let (outer, held) = (Gate(), Gate())
    let first = Task.immediate {
      try await notes.write(touching: [1]) {
        await outer.pass()
        await #expect {
          try await notes.write(touching: [2]) {}
        } throws: {
          if case .deadlock? = $0 as? JobRejection { true } else { false }
        }
      }
    }
    await outer.arrived()
    let holder = notes.submitWrite(touching: [2]) { await held.pass() }
    await held.arrived()
    let (whole, last) = (notes.submitWrite {}, notes.submitWrite(touching: [2]) {})
    outer.open()
    try await first.value
    held.open()
    for job in [holder, whole, last] { try await job.value }
  }
}
