import SerialTasksFenced
import Testing

@testable import SerialTasks

/// What a `WaitReport` says of jobs that wait for access.
///
/// Other tests run in the same process, so each looks only at its own executors.
@Suite(.watched) struct FencedReportTests {
  let clock = ManualClock()
  let gate = Gate()

  /// The entries of the executor and of its requests, as `line[k]: holder [a 3, b 1]`.
  private func report(_ name: String) -> [String] {
    text(WaitReport.current.executors.filter { $0.name.hasPrefix(name) })
  }

  private func text(_ entries: [WaitReport.Executor]) -> [String] {
    entries.map { entry in
      let waiting = entry.waiting.map { "\($0.name ?? "a job") \($0.waited.components.seconds)" }
      return "\(entry.name): \(entry.isHeld ? entry.holder ?? "a job" : "-") [\(waiting.joined(separator: ", "))]"
    }
  }

  /// ```
  ///   second asks ── third stands behind it ── granted: second runs ── ended
  /// ```
  /// Fails if: a job that waits for access is a holder, or its request is, or a wait is measured from another moment; whether it
  /// found the line free or, beside another key, only its own.
  @Test(arguments: [false, true]) func whoWaitsForAccessWaits(besideAnother: Bool) async throws {
    let (name, other) = ("report-waits-\(besideAnother)", Gate())
    let engine = Engine { [gate] request in if request == (besideAnother ? 2 : 1) { await gate.pass() } }
    let callers = Callers(executor: FencedSerialTaskExecutor(name: name, access: engine, clock: clock))
    if besideAnother {
      callers.call("other", for: "other") { _ in await other.pass() }
      await other.arrived()
    }
    let turn = Gate()
    let second = callers.call("second") { _ in await turn.pass() }
    await gate.arrived()
    clock.advance(by: .seconds(2))
    let third = callers.call("third")
    clock.advance(by: .seconds(3))
    let others = besideAnother ? ["\(name)[other]: other []", "\(name) access[other]: a job []"] : []
    #expect(
      report(name).sorted() == (others + ["\(name): - [second 5, third 3]", "\(name) access: - [a job 5]"]).sorted())
    gate.open()
    await turn.arrived()
    #expect(report("\(name)[k]") == ["\(name)[k]: second \(besideAnother ? "[]" : "[third 3]")"])
    #expect(report("\(name) access[k]") == ["\(name) access[k]: a job []"])
    other.open()
    turn.open()
    try await second.value
    try await third.value
    try await callers.executor.drain()
    #expect(report(name).isEmpty)
  }

  /// ```
  ///   a asks ── b stands behind it ── a leaves: b waits for the same request
  /// ```
  /// Fails if: the wait of a job that has come to the front is measured from then on.
  @Test(arguments: [false, true]) func aWaitInTheLineAndForAccessIsOne(hasHandler: Bool) async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let name = "report-front-\(hasHandler)"
    let executor = FencedSerialTaskExecutor<String>(
      name: name, access: engine, clock: clock, onEvent: hasHandler ? { @Sendable _ in } : nil)
    let callers = Callers(executor: executor)
    let (a, b) = (callers.call("a"), callers.call("b"))
    await gate.arrived()
    clock.advance(by: .seconds(4))
    a.cancel()
    await #expect(throws: CancellationError.self) { try await a.value }
    // It comes to the front, and then to the request. Not a whole report: that takes in all that other tests have waiting.
    try await until { text(executor.lines.line.holdings().executors) == ["\(name): - [b 4]"] }
    gate.open()
    try await b.value
  }

  /// Fails if: an executor without a name, or its requests, go by the name of another type.
  @Test func anExecutorWithoutAName() async throws {
    let names = Log<String>()
    let executor = FencedSerialTaskExecutor(
      access: Engine(), onEvent: { names("\($0.executor)[\($0.keys[0])]") },
      onAccess: { names("\($0.executor)[\($0.keys[0])]") })
    let kinds = try await executor.enqueue(for: "own") { _ in
      WaitReport.current.executors.filter { names.entries.contains($0.name) }.map(\.kind)
    }
    try await executor.drain()
    #expect(Set(kinds) == [.fencedSerialTaskExecutor, .keyedSerialTaskExecutor])
    #expect(
      Set(names.entries.map { $0.replacing(#/#\w+/#, with: "#1") }) == [
        "FencedSerialTaskExecutor#1[own]", "FencedSerialTaskExecutor#1 access[own]",
      ])
  }
}

#if !os(Windows) && !os(WASI)
  /// Not watched: it waits for another process.
  @Suite struct FencedReportExitTests {
    /// Fails if: internal executors of a fenced executor or a lock folder are in the report, although the user never made them.
    @Test func nothingElseIsInAReport() async {
      await #expect(processExitsWith: .success) {
        let folder = try Folder()
        let locks = try LockFolder(folder.locks)
        let (first, second) = (
          FencedSerialTaskExecutor(name: "f", access: locks), FencedSerialTaskExecutor(name: "g", access: locks)
        )
        let waiting = try await first.enqueue(for: "ann", name: "first") { _ in
          let waiting = Task.immediate { try await second.enqueue(for: "ann", name: "second") { _ in } }
          // Without its key: that is there once the request of the second one has begun.
          let names = WaitReport.current.executors.map { "\($0.name.prefix { $0 != "[" }) \($0.holder ?? "-")" }
          guard names == ["f first", "f access -", "g -", "g access -"] else {
            fatalError("\(names)")
          }
          return waiting
        }
        try await waiting.value
      }
    }
  }
#endif

/// Jobs that wait for access, and cycles.
@Suite(.watched) struct FencedAccessDeadlockTests {
  /// ```
  ///   one holds a, and asks for b ──► b's job waits for access ── granted: it asks for a ──► rejected
  /// ```
  /// Fails if: a job is rejected because of one that waits for access, or a cycle through one that has waited is not found.
  @Test func aCycleThroughAJobThatHasWaitedForAccess() async throws {
    let (gate, held) = (Gate(), Gate())
    let engine = Engine { request in if request == 2 { await gate.pass() } }
    let executor = FencedSerialTaskExecutor(name: "fenced", access: engine)
    let one = Task.immediate {
      try await executor.enqueue(for: "a") { _ in
        await held.pass()
        try await executor.enqueue(for: "b") { _ in }
      }
    }
    await held.arrived()
    let other = Task.immediate {
      try await executor.enqueue(for: "b") { _ in
        do {
          try await executor.enqueue(for: "a") { _ in }
          Issue.record("a cycle was not found")
        } catch JobRejection.deadlock(let deadlock) {
          #expect(deadlock.path == ["fenced[a]", "fenced[b]", "fenced[a]"])
        }
      }
    }
    await gate.arrived()
    held.open()
    try await executor.waits(for: 1, of: "b")
    gate.open()
    try await other.value
    try await one.value
  }
}
