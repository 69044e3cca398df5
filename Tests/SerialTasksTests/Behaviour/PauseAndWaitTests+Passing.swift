import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

/// What a pause lets pass that is awaited, beside what it does not.
extension PauseAndWaitTests {
  /// ```
  ///   a: outer ── awaits d ······························
  ///   b: holder ─────────────── (ends)
  ///   c:          stranger: no slot, and held back ······
  ///   d:          awaited: no slot ───── b's slot
  /// ```
  /// Fails if: what a running job awaits waits for a slot behind what the pause holds back. (Then this hangs.)
  @Test func behindWhatLacksASlot() async throws {
    let keyed = KeyedSerialTaskExecutor<String>(name: "keys", maximumConcurrentJobs: 2)
    let (gate, log) = (Gate(), Log<String>())
    let holder = keyed.submit(for: "b") { await gate.pass() }
    await gate.arrived()
    let outer = Task.immediate {
      try await keyed.enqueue(for: "a") {
        keyed.submit(for: "c") { log("stranger") }
        try await keyed.submit(for: "d") { log("awaited") }.value
      }
    }
    let pausing = Task.immediate { try await keyed.pauseAndWait() }
    gate.open()
    try await pausing.value
    #expect(log.entries == ["awaited"] && keyed.snapshot.waiting == 1)
    keyed.resume()
    try await holder.value
    try await outer.value
    try await keyed.drain()
  }

  /// ```
  ///   z:    waits for the line, which has nothing to do with it
  ///   a, b: await a job of c each ···
  /// ```
  /// Fails if: only one of the jobs that run has what it awaits let pass. (Then this hangs.)
  @Test func severalThatWait() async throws {
    let (elsewhere, held) = (await Held(line), await HeldKey(keyed, "c"))
    let first = waiting(keyed, "z") { [line] in try await line.enqueue {} }
    let outer = ["a", "b"].map { key in
      waiting(keyed, key) { [keyed] in try await keyed.submit(for: "c") {}.value }
    }
    let pausing = Task.immediate { [keyed] in try await keyed.pauseAndWait() }
    try await held.release()
    for task in outer { try await task.value }
    try await elsewhere.release()
    try await pausing.value
    #expect(keyed.snapshot.running == 0)
    try await first.value
  }

  /// Fails if: a job that has begun after it waited for what its line does not know of is not waited for, or leaves an edge in the graph.
  @Test(arguments: [false, true]) func aJobThatWaitedForAccess(begins: Bool) async throws {
    let (gate, log) = (Gate(), Log<String>())
    let job = Task.immediate { [keyed] in
      try await keyed.enqueue(for: "a") {
        let line = keyed.line
        let unbegun = try line.beginUnbegun().get()
        let turns = line.locked { $0.turns() }
        #expect(WaitGraph.waits(from: turns[0]) == 1)
        if begins { #expect(unbegun.begin()) } else { unbegun.end() }
        #expect(WaitGraph.waits(from: turns[0]) == 0)
        await gate.pass()
      }
    }
    let paused = Task.immediate { [keyed] in
      try await keyed.pauseAndWait()
      log("paused")
    }
    #expect(log.entries.isEmpty)
    gate.open()
    try await job.value
    try await paused.value
  }
}
