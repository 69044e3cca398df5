import SerialTasksFenced
import Testing

/// What events say of jobs that wait for access, on a clock that stands still.
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
    await gate.waitForArrivals()
    clock.advance(by: .seconds(1))
    let b = callers.call("b") { await turns.1.pass() }
    clock.advance(by: .seconds(2))
    #expect(events.entries == ["b waiting - -"])
    gate.open()
    await turns.0.waitForArrivals()
    #expect(events.entries == ["b waiting - -", "a began 3 -"])
    clock.advance(by: .seconds(4))
    turns.0.open()
    try await a.value
    await turns.1.waitForArrivals()
    clock.advance(by: .seconds(2))
    turns.1.open()
    try await b.value
    #expect(events.entries.suffix(3) == ["a finished 3 4", "b began 6 -", "b finished 6 2"])
  }

  /// ```
  ///   a asks ── b and c wait behind it ── the engine fails: a, b and c throw ── d asks again, and runs
  /// ```
  /// Fails if: a job that waited asks again, and all stand in line for one failure after the other; or a failure is kept, not
  /// reported of each job, the wait for it counts as running, or a job that never ran has a running time.
  @Test func anEngineThatFails() async throws {
    let engine = Engine(before: { [gate] request in
      await gate.pass()
      if request == 1 { throw EngineError(request: request) }
    })
    let callers = observed(engine)
    let calls = ["a", "b", "c"].map { callers.call($0) }
    await gate.waitForArrivals()
    clock.advance(by: .seconds(3))
    gate.open()
    for call in calls { await #expect(throws: EngineError(request: 1)) { try await call.value } }
    #expect(
      events.entries == ["b waiting - -", "c waiting - -"]
        + ["a", "b", "c"].flatMap { ["\($0) began 3 -", "\($0) failed 3 -"] })
    try await callers.call("d").value
    #expect(callers.log.entries == ["d 1"] && engine.requests == 2)
  }
}
