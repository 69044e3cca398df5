import SerialTasks
import SerialTasksFenced
import Testing

/// What events and a `WaitReport` say of jobs that wait for access, on a clock that stands still.
///
/// Other tests run in the same process, so each looks only at its own executors.
@Suite(.watched) struct FencedReportTests {
  let clock = ManualClock()
  let gate = Gate()
  let events = Log<String>()

  private func observed(_ engine: Engine) -> Callers {
    Callers(Bank(access: engine, clock: clock, onEvent: { [events] in events($0.words) }))
  }

  /// ```
  ///   0 a asks ── 1 b comes ── 3 granted: a runs ── 7 a ends: b runs ── 9 b ends
  /// ```
  /// Fails if: the wait for access counts as running, or not as waiting, or a job begins before it has access.
  @Test func aJobBeginsWhenItHasAccess() async throws {
    let callers = observed(Engine(before: { [gate] _ in await gate.pass() }))
    let turns = (Gate(), Gate())
    let a = callers.call("a") { await turns.0.pass() }
    await gate.arrived()
    clock.advance(by: .seconds(1))
    let b = callers.call("b") { await turns.1.pass() }
    clock.advance(by: .seconds(2))
    #expect(events.entries == ["b waiting - -"])
    gate.open()
    await turns.0.arrived()
    #expect(events.entries == ["b waiting - -", "a began 3 -"])
    clock.advance(by: .seconds(4))
    turns.0.open()
    try await a.value
    await turns.1.arrived()
    clock.advance(by: .seconds(2))
    turns.1.open()
    try await b.value
    #expect(events.entries.suffix(3) == ["a finished 3 4", "b began 6 -", "b finished 6 2"])
  }

  /// ```
  ///   a asks ── b and c wait behind it ── the engine fails: a, b and c throw ── d asks again, and runs
  /// ```
  /// Fails if: a job that waited asks again, and all stand in line for one failure after the other; or a failure is kept, not
  /// reported of each job, or the wait for it counts as running.
  @Test func anEngineThatFails() async throws {
    let engine = Engine(before: { [gate] request in
      await gate.pass()
      if request == 1 { throw EngineError(request: request) }
    })
    let callers = observed(engine)
    let calls = ["a", "b", "c"].map { callers.call($0) }
    await gate.arrived()
    clock.advance(by: .seconds(3))
    gate.open()
    for call in calls { await #expect(throws: EngineError(request: 1)) { try await call.value } }
    #expect(
      events.entries == ["b waiting - -", "c waiting - -"]
        + ["a", "b", "c"].flatMap { ["\($0) began 3 -", "\($0) failed 3 0"] })
    try await callers.call("d").value
    #expect(callers.log.entries == ["d 1"] && engine.requests == 2)
  }

  /// The entries of the executor and of its requests, as `line[k]: holder [a 3, b 1]`.
  private func report(_ name: String) -> [String] {
    let entries = WaitReport.current.executors.filter { $0.name.hasPrefix(name) }.map { entry in
      let waiting = entry.waiting.map { "\($0.name ?? "a job") \($0.waited.components.seconds)" }
      return "\(entry.name): \(entry.isHeld ? entry.holder ?? "a job" : "-") [\(waiting.joined(separator: ", "))]"
    }
    return entries.sorted()
  }

  /// ```
  ///   second asks ── third stands behind it ── granted: second runs ── ended
  /// ```
  /// Fails if: a job that waits for access is a holder, or its request is, or a wait is measured from another moment; whether it
  /// found the line free or, beside another key, only its own.
  @Test(arguments: [false, true]) func whoWaitsForAccessWaits(besideAnother: Bool) async throws {
    let (name, other, turn) = ("report-waits-\(besideAnother)", Gate(), Gate())
    let engine = Engine(before: { [gate] request in if request == (besideAnother ? 2 : 1) { await gate.pass() } })
    let callers = Callers(Bank(name: name, access: engine, clock: clock))
    if besideAnother { _ = await callers.hold("other", for: "other", at: other) }
    let second = callers.call("second") { await turn.pass() }
    await gate.arrived()
    clock.advance(by: .seconds(2))
    let third = callers.call("third")
    clock.advance(by: .seconds(3))
    let others = besideAnother ? ["\(name)[other]: other []", "\(name) access[other]: a job []"] : []
    #expect(
      report(name) == (others + ["\(name): - [second 5, third 3]", "\(name) access: - [a job 5]"]).sorted())
    gate.open()
    await turn.arrived()
    #expect(report("\(name)[k]") == ["\(name)[k]: second \(besideAnother ? "[]" : "[third 3]")"])
    #expect(report("\(name) access[k]") == ["\(name) access[k]: a job []"])
    other.open()
    turn.open()
    for call in [second, third] { try await call.value }
    try await callers.bank.drain()
    #expect(report(name).isEmpty)
  }
}
