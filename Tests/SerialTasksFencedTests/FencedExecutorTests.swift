import SerialTasksFenced
import Testing

/// Requests for access, and the jobs that run under one.
@Suite(.watched) struct FencedExecutorTests {
  let gate = Gate()

  /// ```
  ///   0 asks ── 1 … 6 stand behind it ── granted: 0 1 2 run ── released and asked again: 3 4 5 ── and again: 6
  /// ```
  /// Fails if: each caller sends a request, the line does not keep its order, more jobs run under one grant than may, or the next
  /// request is sent before access was released.
  @Test(arguments: [3, 100]) func manyCallersSendOneRequest(jobsPerAccess: Int) async throws {
    let engine = Engine(before: { [gate] request in if request == 1 { await gate.pass() } })
    let callers = Callers(Bank(access: engine, jobsPerAccess: jobsPerAccess))
    let calls = (0..<7).map { callers.call("\($0)") }
    await gate.waitForArrivals()
    gate.open()
    for call in calls { try await call.value }
    try await callers.bank.drain()
    let grants = (0..<7).map { $0 / jobsPerAccess + 1 }
    #expect(callers.log.entries == zip(0..<7, grants).map { "\($0) \($1)" })
    #expect(engine.log.entries == (1...grants[6]).flatMap { ["ask k", "grant k \($0)", "release k \($0)"] })
  }

  /// Fails if: a key that is not equal to itself is kept for ever, two such jobs wait for each other, or one is not found while it
  /// waits for access.
  @Test func keysThatAreNotEqualToThemselves() async throws {
    struct Numbers: ExclusiveAccess {
      let gate: Gate

      nonisolated(nonsending) func withAccess(
        to key: Double, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
      ) async throws {
        await gate.pass()
        try await turn(Fence(number: 1) {})
      }
    }
    let executor = FencedSerialTaskExecutor(access: Numbers(gate: gate))
    let call = Task.immediate { try await executor.enqueue(for: .nan) { _ in } }
    await gate.waitForArrivals()
    executor.cancelAll()
    await #expect(throws: JobRejection.withdrawn) { try await call.value }
    gate.open()
    try await executor.enqueue(for: .nan) { _ in try await executor.enqueue(for: .nan) { _ in } }
    try await executor.drain()
    #expect(executor.busyKeys == 0)
  }

  /// Fails if: requests are not reported, a failure to release is lost, an executor without a name, or its requests, go by the name
  /// of another type, or a closure without a label is called for requests, and not for jobs as with every other type.
  @Test func jobsAndRequestsAreReported() async throws {
    let (names, jobs) = (Log<String>(), Log<String>())
    let note: @Sendable (TaskEvent) -> Void = { names("\($0.executor)\($0.keys) \("\($0.kind)".prefix { $0 != "(" })") }
    let engine = Engine(after: { throw EngineError(request: $0) })
    let bank = Bank(access: engine, onEvent: note, onAccess: note)
    let kinds = try await bank.enqueue(for: "k") { _ in
      // Those of other tests have other names, some of which are short.
      WaitReport.current.executors.filter { known in
        known.name.hasSuffix("[k]") && names.entries.contains { $0.hasPrefix(known.name.dropLast(3)) }
      }
      .map(\.kind)
    }
    try await bank.drain()
    #expect(Set(kinds) == ["FencedSerialTaskExecutor", "KeyedSerialTaskExecutor"])
    let name = "FencedSerialTaskExecutor#1"
    #expect(
      names.entries.map { $0.replacing(#/#\w+/#, with: "#1") } == [
        #"\#(name) access["k"] began"#, #"\#(name)["k"] began"#, #"\#(name)["k"] finished"#,
        #"\#(name) access["k"] failed"#,
      ])
    let short = Bank(access: Engine()) { jobs("\($0.kind)") }
    try await short.enqueue(for: "k") { _ in }
    try await short.drain()
    #expect(jobs.entries == ["began", "finished"] && short.name == nil && Bank(name: "b", access: engine).name == "b")
  }
}
