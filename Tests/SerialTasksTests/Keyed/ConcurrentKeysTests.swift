import SerialTasks
import Testing

/// At most so many jobs of different keys run at a time.
@Suite(.watched) struct ConcurrentKeysTests {
  /// The first jobs run in rounds of one for each slot, so that it does not matter which thread is slow.
  ///
  /// Fails if: a key has its next turn before others that were ready first.
  @Test(arguments: [1, 2], [false, true])
  func aLongKeyDelaysAnotherByOneJobForEachSlot(slots: Int, comesFirst: Bool) async throws {
    let wide = KeyedSerialTaskExecutor<String>(maximumConcurrentJobs: slots)
    let (log, rounds) = (Log<String>(), (0..<8).map { _ in Gate() })
    let count = Effort.upTo(50_000)
    wide.pause()
    @Sendable func run(_ key: String) async {
      let (round, number) = log.add(key).quotientAndRemainder(dividingBy: slots)
      guard round < rounds.count else { return }
      if number == slots - 1 { rounds[round].open() }
      await rounds[round].pass()
    }
    func submitOthers() { for _ in 0..<2 { wide.submitDetached(for: "other") { await run("other") } } }
    if !comesFirst { submitOthers() }
    for key in ["busy", "busier"].prefix(slots) {
      for _ in 0..<(count / slots) { wide.submitDetached(for: key) { await run(key) } }
    }
    if comesFirst { submitOthers() }
    wide.resume()
    try await wide.drain()
    let entries = log.entries
    let places = entries.indices.filter { entries[$0] == "other" }
    #expect(entries.count == count + 2)
    #expect(places.count == 2)
    #expect(places[0] <= 2 * slots)
    #expect(places[1] <= 4 * slots)
  }

  /// Fails if: a snapshot names one of several jobs that run, or none although one does.
  @Test func theNameOfTheOnlyOne() async throws {
    let executor = KeyedSerialTaskExecutor<String>()
    let gates = ["a": Gate(), "b": Gate()]
    let jobs = gates.map { key, gate in executor.submit(for: key, name: key) { await gate.pass() } }
    for gate in gates.values { await gate.arrived() }
    #expect(executor.snapshot.running == 2 && executor.snapshot.runningJob == nil)
    gates["a"]!.open()
    try await executor.drain(for: "a")
    #expect(executor.snapshot.running == 1 && executor.snapshot.runningJob == "b")
    gates["b"]!.open()
    for job in jobs { try await job.value }
  }
}
