import Foundation
import SerialTasks
import Testing

/// The articles for those who come from something else, run.
@Suite(.watched, .oneOrder) struct HabitTests {
  let gate = Gate()

  @Test func serialQueues() async throws {
    let after = ExecutorAfter.NotesRepository(service: FakeService())
    try await after.save(Note(id: 1))
    #expect(try await after.notes() == [Note(id: 1)])
  }

  @Test func coalescers() async throws {
    let api = API(gate: gate)
    let after = FlightAfter.ProfileService(api: api)
    let screens = (1...3).map { _ in Task { try await after.profile(of: "ann") } }
    await gate.arrived()
    try await after.coalescer.waits(for: 3)
    gate.open()
    for screen in screens { #expect(try await screen.value.name == "ann") }
    #expect(api.calls == 1)
  }

  @Test func singleFlights() async throws {
    let (profile, isShared) = try await SingleFlightUse.use(API(), "ann")
    #expect(profile.name == "ann" && !isShared)
  }

  /// Fails if: a failure blanks what is shown, or `await` returns before the result was applied.
  @Test @MainActor func reloading() async throws {
    let calls = Log()
    let model = LoadingAfter.FeedModel { [gate] filter in
      calls("fetch")
      let call = calls.entries.count
      if call == 1 { await gate.pass() }
      if call == 3 { throw NotesError.missing(1) }
      return ["\(filter) \(call)"]
    }
    let first = Task { await model.appear() }
    await gate.arrived()
    #expect(model.isLoading)
    model.filter = "mine"
    try await until { calls.entries.count == 2 }
    await first.value
    gate.open()
    #expect(model.items == ["mine 2"], "the first was superseded, and its caller was carried over")
    try await until { !model.isLoading }
    await model.refresh()
    #expect(model.items == ["mine 2"] && model.problem == "missing(1)")
    await model.refresh()
    #expect(model.items == ["mine 4"] && model.problem == nil)
    model.leave()
  }

  /// A view that is drawn anew cancels the task of its `refreshable`.
  ///
  /// Fails if: the pull does nothing then.
  @Test @MainActor func aPullThatIsCancelledReloads() async throws {
    let calls = Log()
    let model = LoadingAfter.FeedModel { [gate] _ in
      calls("fetch")
      if calls.entries.count == 1 { await gate.pass() }
      return ["\(calls.entries.count)"]
    }
    let first = Task { await model.appear() }
    await gate.arrived()
    let pull = Task { await model.refresh() }
    pull.cancel()
    gate.open()
    await first.value
    await pull.value
    #expect(model.items == ["2"])
  }
}
