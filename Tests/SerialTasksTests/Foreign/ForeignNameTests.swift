import CoalescingTasks
import Testing

/// A key's `description` is the user's code: it may take locks and call this library, also while a cycle gets its name.
@Suite(.watched) struct ForeignNameTests {
  /// A job comes and goes on the key while the call that is to touch it gets its name.
  ///
  /// Fails if: the key goes out of the table with that job, so that another call has the key beside this one.
  @Test func aNameMayTakeTheKeyMeanwhile() async throws {
    let (keyed, described, gate) = (KeyedSerialTaskExecutor<LoudKey>(), Log<Int>(), Gate())
    let key = LoudKey(
      2,
      described: {
        if described.add(0) > 0 { return }
        keyed.pause()
        keyed.submit(for: LoudKey(2)) {}.cancel()
        keyed.resume()
      })
    let outer = Task.immediate {
      try await keyed.enqueue(for: LoudKey(1)) {
        // Of several keys: a call that finds one key free needs no name.
        try await keyed.enqueue(touching: [key, LoudKey(3)]) { await gate.pass() }
      }
    }
    await gate.waitForArrivals()
    #expect(!described.entries.isEmpty)
    let other = Task.immediate { try await keyed.enqueue(for: key) {} }
    #expect(keyed.snapshot(for: key).waiting == 1)
    gate.open()
    try await outer.value
    try await other.value
  }

  /// While the cycle gets its names, a job in it is cancelled: what the pause waits for has ended when it is to be rejected.
  ///
  /// ```
  ///   line:  outer ── pauses keyed ····
  ///   keyed: inner ·················── asks line, and is cancelled
  /// ```
  /// Fails if: the pause is rejected, and its executor stays paused.
  @Test func aPauseWhoseCycleIsOpenedMeanwhile() async throws {
    let (line, keyed) = (SerialTaskExecutor(name: "line"), KeyedSerialTaskExecutor<LoudKey>(name: "keyed"))
    let (gate, cancels) = (Gate(), Log<Task<Void, any Error>>())
    let key = LoudKey(
      1,
      described: {
        guard let inner = cancels.entries.first else { return }
        inner.cancel()
        // On a thread of its own, it ends while this one is held.
        Cores.spin(while: keyed.snapshot.running > 0)
      })
    let outer = Task.immediate {
      try await line.enqueue {
        await gate.pass()
        try await keyed.pauseAndWait()
        #expect(keyed.snapshot.isPaused && keyed.snapshot.running == 0)
        keyed.resume()
      }
    }
    await gate.waitForArrivals()
    let inner = OneThread().start { try await keyed.enqueue(for: key) { try await line.enqueue {} } }
    try await line.waitUntil(waiting: 1)
    cancels(inner)
    gate.open()
    try await outer.value
    await #expect(throws: CancellationError.self) { try await inner.value }
    #expect(!keyed.snapshot.isPaused)
  }

  /// The description starts an operation that holds a flight and has to wait, which is what the wait graph is asked about.
  ///
  /// Fails if: the names of a cycle are made under the lock of the wait graph (then this traps or hangs).
  @Test func aNameMayWaitForTheLibrary() async throws {
    let (held, described, inner) = (await Held(), Log<Int>(), TaskCoalescer<Int, Int>())
    let key = LoudKey(
      7,
      described: {
        inner.prefetch(described.add(0), expiresAfter: .seconds(1)) { try await held.executor.enqueue { 1 } }
      })
    let (audit, accounts) = (SerialTaskExecutor(name: "audit"), KeyedSerialTaskExecutor<LoudKey>(name: "accounts"))
    await expectCycle(["audit", "accounts[7]", "audit"]) {
      try await audit.enqueue { try await accounts.enqueue(for: key) { try await audit.enqueue {} } }
    }
    #expect(!described.entries.isEmpty)
    try await held.release()
    try await held.executor.drain()
  }

  /// The description withdraws what waits, between the time when the cycle is found and its rejection.
  ///
  /// Fails if: a call that was withdrawn while its cycle was found is rejected for the cycle too.
  @Test func aCallThatIsWithdrawnMeanwhileHasOneEnd() async throws {
    let log = EventLog()
    let keyed = KeyedSerialTaskExecutor<LoudKey>(name: "keys", onEvent: log.handler)
    let key = LoudKey(1, described: { if keyed.snapshot.waiting > 0 { keyed.cancelAll() } })
    try await keyed.enqueue(for: key) {
      _ = await #expect(throws: JobRejection.withdrawn) { try await keyed.enqueue(for: key, name: "inner") {} }
    }
    let ends = log.entries.filter { $0.job == "inner" }.compactMap {
      if case .rejected(let why) = $0.kind { why } else { nil }
    }
    #expect(ends == [.withdrawn])
  }

  /// A caller that holds a turn asks what its wait is called, between finding the key and waiting for it.
  ///
  /// Fails if: `drain(for:)` waits for jobs of another key, when those of its key have ended meanwhile.
  @Test func aDrainWaitsForNoJobOfAnotherKey() async throws {
    let (keys, log) = (KeyedSerialTaskExecutor<LoudKey>(name: "keys"), Log<String>())
    let job = Lock<SubmittedJob<Void>?>(nil)
    keys.pause()
    let first = LoudKey(
      1,
      described: {
        guard let job = job.withLock({ $0.take() }) else { return }
        job.cancel()
        keys.submitDetached(for: LoudKey(2)) { log("key 2") }
      })
    let waits = keys.submitDetached(for: first) {}
    job.withLock { $0 = waits }
    let drained = Task.immediate {
      try await SerialTaskExecutor().enqueue { try await keys.drain(for: first) }
      log("drained")
    }
    #expect(log.entries == ["drained"])
    keys.resume()
    try await drained.value
    try await keys.drain()
    #expect(log.entries == ["drained", "key 2"])
  }
}
