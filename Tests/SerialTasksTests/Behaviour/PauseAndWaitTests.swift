import SerialTasksTesting
import TestWatch
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// What `pauseAndWait()` does that the table of promises does not ask of every call.
@Suite(.watched) struct PauseAndWaitTests {
  let line = SerialTaskExecutor(name: "line")
  let keyed = KeyedSerialTaskExecutor<String>(name: "keys")
  let notes = CoalescingTaskExecutor<String>(name: "notes")

  /// ```
  ///   line:  job ── pauses keys ··············
  ///   keys:  job ·················── asks line ✗
  /// ```
  /// Fails if: a pause is not in the wait graph. (Then this hangs.)
  @Test func acrossExecutors() async throws {
    let gate = Gate()
    let other = Task.immediate { [keyed, line] in
      try await keyed.enqueue(for: "a") {
        await gate.pass()
        await expectCycle(["line", "keys", "keys[a]", "line"]) { try await line.enqueue {} }
      }
    }
    await gate.arrived()
    let pausing = Task.immediate { [keyed, line] in try await line.enqueue { try await keyed.pauseAndWait() } }
    gate.open()
    try await other.value
    try await pausing.value
    #expect(keyed.snapshot.isPaused)
  }

  /// Fails if: a pause does not wait for a caller that holds the line, or a key, without a waiter; or is not in a report.
  @Test func aReport() async throws {
    let gate = Gate()
    let jobs = [
      Task.immediate { [line] in try await line.enqueue { await gate.pass() } },
      Task.immediate { [keyed] in
        try await keyed.enqueue(for: "a") { try await keyed.enqueue(for: "b") { await gate.pass() } }
      },
    ]
    await gate.arrived(2)
    let pauses = [
      Task.immediate { [line] in try await line.pauseAndWait() },
      Task.immediate { [keyed] in try await keyed.pauseAndWait() },
    ]
    for holdings in [line.line.holdings(), keyed.line.holdings()] {
      #expect(holdings.executors.flatMap(\.waiting).map(\.name) == ["pauseAndWait()"])
    }
    gate.open()
    for task in pauses + jobs { try await task.value }
  }

  /// Fails if: a pause holds back what has taken the place of a write that a running job awaits. (Then this hangs.)
  @Test func aReplacedWriteThatIsAwaited() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let holder = notes.submitWrite(touching: ["b"]) { await gate.pass() }
    await gate.arrived()
    let outer = Task.immediate { [notes] in
      try await notes.write(touching: ["a"]) {
        try await notes.submitWrite(latest: "b", touching: ["b"]) { log("older") }.value
      }
    }
    #expect(notes.snapshot.waiting == 1)
    notes.submitWrite(latest: "b", touching: ["b"]) { log("newer") }
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    gate.open()
    try await pausing.value
    #expect(log.entries == ["newer"])
    try await holder.value
    try await outer.value
  }

  /// An operation that callers share, which reads from the executor that is being paused.
  enum Shared: CaseIterable {
    case flight, renewal, load

    func make(_ notes: CoalescingTaskExecutor<String>) -> @Sendable () async throws -> Void {
      let ask: @Sendable () async throws -> Int = { try await notes.read("b") { 1 } }
      switch self {
      case .flight:
        let flights = TaskCoalescer<String, Int>()
        return { _ = try await flights.value(for: "one") { try await ask() } }
      case .renewal:
        let token = RenewingValue<Int> { _ async throws in Renewed(try await ask(), validFor: .seconds(9)) }
        return { _ = try await token.value() }
      case .load:
        let feed = Reloader(load: { (_: Trigger) in try await ask() }, apply: { _ in })
        return { _ = try await feed.reload(.appear) }
      }
    }
  }

  /// Fails if: a pause holds back what a running job waits for through an operation that callers share. (Then this hangs.)
  @Test(arguments: Shared.allCases, [false, true]) func throughASharedOperation(_ shared: Shared, runsAlready: Bool)
    async throws
  {
    let (gate, inFront) = (Gate(), Gate())
    let operation = shared.make(notes)
    let holder = notes.submitWrite(touching: ["b"]) { await inFront.pass() }
    await inFront.arrived()
    let save = Task.immediate { [notes] in
      try await notes.write(touching: ["a"]) {
        await gate.pass()
        try await operation()
      }
    }
    await gate.arrived()
    let other = runsAlready ? Task.immediate { try await operation() } : nil
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    gate.open()
    inFront.open()
    try await pausing.value
    #expect(notes.snapshot.running == 0 && notes.snapshot.isPaused)
    try await holder.value
    try await save.value
    try await other?.value
  }

  /// Fails if: only a pause that its own caller began lets pass what a running job waits for. (Then this hangs.)
  @Test func aPauseThatWasThere() async throws {
    let gate = Gate()
    let outer = Task.immediate { [keyed] in
      try await keyed.enqueue(for: "a") {
        await gate.pass()
        try await keyed.submit(for: "b") {}.value
      }
    }
    await gate.arrived()
    keyed.pause()
    let pausing = Task.immediate { [keyed] in try await keyed.pauseAndWait() }
    gate.open()
    try await pausing.value
    try await outer.value
    #expect(keyed.snapshot.isPaused)
  }

  /// ```
  ///   keys[a]:  outer  inner (nested, late)  awaited
  ///   keys[b]:  other  inner                              other awaits awaited
  /// ```
  /// Fails if: what a running job awaits is held back because a call stands in front of it that waits for that job, and leaves.
  /// (Then this hangs.)
  @Test func aCallInFrontThatLeaves() async throws {
    let (clock, gate) = (ManualClock(), Gate())
    let keyed = KeyedSerialTaskExecutor<String>(name: "keys", clock: clock)
    let outer = Task.immediate {
      try await keyed.enqueue(for: "a") {
        await gate.pass()
        await #expect(throws: JobRejection.late) {
          try await keyed.enqueue(forAll: ["a", "b"], waitingAtMost: .seconds(1)) {}
        }
      }
    }
    await gate.arrived()
    let awaited = keyed.submit(for: "a") {}
    let other = Task.immediate { try await keyed.enqueue(for: "b") { try await awaited.value } }
    gate.open()
    try await keyed.waits(for: 2)
    let pausing = Task.immediate { try await keyed.pauseAndWait() }
    clock.advance(by: .seconds(1))
    try await outer.value
    try await other.value
    try await pausing.value
    keyed.resume()
  }

  /// What is let pass is found under the lock of the graph, and let pass after that: meanwhile a newer write may take its place.
  ///
  /// Fails if: what a running job awaits is looked for where it was. (Then this hangs.)
  @Test func whatTookItsPlaceMeanwhile() async throws {
    let (inA, inB) = (Gate(), Gate())
    notes.submitWrite(touching: ["a"]) { await inA.pass() }
    let running = notes.submitWrite(touching: ["b"]) { await inB.pass() }
    await inA.arrived()
    await inB.arrived()
    let older = notes.submitWrite(latest: "a", touching: ["a"]) {}
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    notes.submitWrite(latest: "a", touching: ["a"]) {}
    notes.line.letPass(older.submission)
    inA.open()
    try await older.value
    inB.open()
    try await running.value
    try await pausing.value
    notes.resume()
  }

  /// A running job that awaited another may have left and ended meanwhile, and the pause with it.
  ///
  /// Fails if: a job is let pass although no caller waits for what runs any more, and begins in a pause.
  @Test func letPassTooLate() async throws {
    try await notes.pauseAndWait()
    let waiting = notes.submitWrite {}
    notes.line.letPass(waiting.submission)
    #expect(notes.snapshot.waiting == 1)
    notes.resume()
    try await waiting.value
  }

  /// Fails if: a pause lets pass only one of several jobs that are in front of what a running job awaits. (Then this hangs.)
  @Test func severalInFront() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let outer = Task.immediate { [keyed] in
      try await keyed.enqueue(for: "a") {
        await gate.pass()
        for key in ["b", "c"] { keyed.submit(for: key) { log(key) } }
        try await keyed.submit(forAll: ["b", "c"]) { log("both") }.value
      }
    }
    await gate.arrived()
    let pausing = Task.immediate { [keyed] in try await keyed.pauseAndWait() }
    gate.open()
    try await pausing.value
    try await outer.value
    #expect(log.entries.count == 3 && log.entries.last == "both")
  }

  /// Fails if: a caller that is cancelled while it waits leaves the pause that it began, or ends one that another began.
  @Test func aCallerThatLeaves() async throws {
    for wasPaused in [false, true] {
      let gate = Gate()
      let job = line.submit { await gate.pass() }
      await gate.arrived()
      if wasPaused { line.pause() }
      let pausing = Task.immediate { [line] in try await line.pauseAndWait() }
      pausing.cancel()
      await #expect(throws: CancellationError.self) { try await pausing.value }
      #expect(line.snapshot.isPaused == wasPaused)
      gate.open()
      line.resume()
      try await job.value
    }
  }

  /// ```
  ///   a: job ── asks for b ──────── asks for c
  ///   b:        holder ── pauses ── (ends)
  /// ```
  /// Fails if: a job that runs cannot end, because what it asks for in its turn waits for the end of the pause. (Then this
  /// hangs.)
  @Test func partsOfWhatRuns() async throws {
    let gate = Gate()
    let holder = Task.immediate { [keyed] in try await keyed.enqueue(for: "b") { await gate.pass() } }
    await gate.arrived()
    let outer = Task.immediate { [keyed] in
      try await keyed.enqueue(for: "a") {
        try await keyed.enqueue(for: "b") {}
        try await keyed.enqueue(for: "c") {}
      }
    }
    let pausing = Task.immediate { [keyed] in try await keyed.pauseAndWait() }
    let other = keyed.submit(for: "d") {}
    gate.open()
    try await pausing.value
    try await holder.value
    try await outer.value
    #expect(keyed.snapshot.isPaused && keyed.snapshot.waiting == 1)
    keyed.resume()
    try await other.value
  }

  /// How a job that runs waits for what has not begun: a call in its turn goes before all that has not.
  enum Need: CaseIterable {
    case call, limitedCall, result, drain

    func wait(_ keyed: KeyedSerialTaskExecutor<String>) async throws {
      switch self {
      case .call: try await keyed.enqueue(for: "b") {}
      case .limitedCall: try await keyed.enqueue(for: "b", waitingAtMost: .seconds(1_000)) {}
      case .result: try await keyed.submit(for: "b") {}.value
      case .drain: try await keyed.drain(for: "b")
      }
    }
  }

  /// ```
  ///   a: outer ─────────── asks for b ─────────── goes on
  ///   b: holder ─────────────── (ends) waiting ──
  ///   c: stranger                                  …
  ///              pauses ──────────────────────────────┤
  /// ```
  /// Fails if: what a running job waits for is held back, whether it needs a slot or not, and comes before the pause or after it
  /// (then this hangs); or a pause lets more begin than that.
  @Test(arguments: Need.allCases, [false, true]) func whatARunningJobWaitsFor(_ need: Need, comesLater: Bool)
    async throws
  {
    for (slots, outerKeys) in [(nil, ["a"]), (2, ["a"]), (2, []), (nil, [])] as [(Int?, [String])] {
      let keyed = KeyedSerialTaskExecutor<String>(name: "keys", maximumConcurrentJobs: slots)
      let (gate, asking, log) = (Gate(), Gate(), Log<String>())
      func run(_ name: String) -> @Sendable () -> Void { { log(name) } }
      let outer = Task.immediate {
        try await keyed.enqueue(forAll: outerKeys) {
          await asking.pass()
          try await need.wait(keyed)
          log("outer")
        }
      }
      let holder = Task.immediate { try await keyed.enqueue(for: "b") { await gate.pass() } }
      await gate.arrived()
      // Where there are slots, it is the first to be given one.
      var strangers = slots == nil ? [] : [keyed.submit(for: "c", run("stranger"))]
      let waiting = keyed.submit(for: "b", run("waiting"))
      if !comesLater {
        let waits = keyed.line.holdings().executors.flatMap(\.waiting).count
        asking.open()
        try await until { keyed.line.holdings().executors.flatMap(\.waiting).count > waits }
      }
      let pausing = Task.immediate { try await keyed.pauseAndWait() }
      strangers.append(keyed.submit(for: "d", run("stranger")))
      gate.open()
      if comesLater {
        try await holder.value
        asking.open()
      }
      try await pausing.value
      let isCall = need == .call || need == .limitedCall
      #expect(log.entries == (isCall ? ["outer"] : ["waiting", "outer"]) && keyed.snapshot.running == 0)
      try await holder.value
      try await outer.value
      keyed.resume()
      try await waiting.value
      for stranger in strangers { try await stranger.value }
    }
  }

  /// Fails if: a drain by a job of another executor counts as a need of a job that runs; or a job that a pause let pass is not
  /// held back by the next one.
  @Test func whatNoRunningJobWaitsFor() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let holder = Task.immediate { [keyed] in try await keyed.enqueue(for: "b") { await gate.pass() } }
    await gate.arrived()
    let waiting = keyed.submit(for: "b") { log("waiting") }
    let elsewhere = Task.immediate { [keyed, line] in try await line.enqueue { try await keyed.drain(for: "b") } }
    let pausing = Task.immediate { [keyed] in try await keyed.pauseAndWait() }
    gate.open()
    try await pausing.value
    try await holder.value
    #expect(log.entries.isEmpty)
    keyed.resume()
    try await waiting.value
    try await elsewhere.value
  }

  /// Fails if: a pause holds back a read whose handle a running write awaits. (Then this hangs.)
  @Test func anAwaitedRead() async throws {
    let (gate, asking) = (Gate(), Gate())
    let holder = Task.immediate { [notes] in try await notes.write(touching: ["b"]) { await gate.pass() } }
    await gate.arrived()
    let outer = Task.immediate { [notes] in
      try await notes.write(touching: ["a"]) {
        await asking.pass()
        return try await notes.submitRead("b") { 1 }.value
      }
    }
    await asking.arrived()
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    asking.open()
    gate.open()
    try await pausing.value
    try await holder.value
    #expect(try await outer.value == 1)
  }

  /// Fails if: a draft that has to wait for a running write begins in the pause.
  @Test func drafts() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let holder = Task.immediate { [notes] in
      try await notes.write(touching: ["a"]) {
        await #expect(throws: JobRejection.self) { try await notes.pauseAndWait() }
        await gate.pass()
      }
    }
    await gate.arrived()
    let draft = notes.submitWrite(latest: "a", touching: ["a"], after: .seconds(1_000)) { log("draft") }
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    gate.open()
    try await pausing.value
    try await holder.value
    #expect(log.entries.isEmpty)
    notes.resume()
    try await draft.value
  }

  /// Fails if: a job that one pause let pass begins during the next, which has no callers.
  @Test func aPauseAfterAPause() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let holder = Task.immediate { [keyed] in try await keyed.enqueue(for: "b") { await gate.pass() } }
    await gate.arrived()
    let waiting = keyed.submit(for: "b") { log("waiting") }
    let outer = Task.immediate { [keyed] in
      try await keyed.enqueue(for: "a") { try await keyed.submit(for: "b") { log("outer") }.value }
    }
    let pausing = Task.immediate { [keyed] in try await keyed.pauseAndWait() }
    keyed.resume()
    await #expect(throws: JobRejection.withdrawn) { try await pausing.value }
    keyed.pause()
    gate.open()
    try await holder.value
    #expect(keyed.snapshot.running == 1 && keyed.snapshot.waiting == 2 && log.entries.isEmpty)
    keyed.resume()
    try await outer.value
    try await waiting.value
    #expect(log.entries == ["waiting", "outer"])
  }

  /// Fails if: a pause does not raise the jobs that run, or only the first of them, or raises one that waits.
  @Test func itRaisesWhatRuns() async throws {
    let (gate, raised) = (Gate(), [Gate(), Gate(), Gate()])
    func job(_ raised: Gate) -> @Sendable () async -> Void {
      {
        await withTaskPriorityEscalationHandler {
          await gate.pass()
        } onPriorityEscalated: { _, _ in
          raised.open()
        }
      }
    }
    let ofKeys = zip(["a", "b"], raised.dropFirst()).map { keyed.submit(for: $0, priority: .low, job($1)) }
    let running = [line.submit(priority: .low, job(raised[0]))] + ofKeys
    await gate.arrived(3)
    let waiting = line.submit(priority: .low) {}
    let pauses = [
      Task.immediate(priority: .high) { [line] in try await line.pauseAndWait() },
      Task.immediate(priority: .high) { [keyed] in try await keyed.pauseAndWait() },
    ]
    for gate in raised { await gate.pass() }
    #expect(waiting.submission.raisedTo == TaskPriority.low.rawValue)
    gate.open()
    for task in pauses { try await task.value }
    line.resume()
    for job in running + [waiting] { try await job.value }
  }
}
