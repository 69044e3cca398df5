import Foundation
import SerialTasks
import Synchronization
import Testing

/// The articles for those who come from something else, run: before and after.
@Suite(.watched, .oneOrder) struct HabitTests {
  let gate = Gate()

  /// Both do the same where nothing goes wrong.
  @Test func serialQueues() async throws {
    let before = ExecutorBefore.NotesRepository(service: FakeService())
    try await before.save(Note(id: 1))
    #expect(try await before.notes() == [Note(id: 1)])
    let after = ExecutorAfter.NotesRepository(service: FakeService())
    try await after.save(Note(id: 1))
    #expect(try await after.notes() == [Note(id: 1)])
  }

  @Test func coalescers() async throws {
    let before = FlightBefore.ProfileService(api: API())
    #expect(try await before.profile(of: "ann").name == "ann")

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

  /// What the article says of the flags: a failure empties the screen, and a trigger while it loads is dropped.
  @Test @MainActor func loadingFlags() async {
    let fails = Mutex(false)
    let calls = Log()
    let model = LoadingBefore.FeedModel { [gate] _ in
      calls("fetch")
      await gate.pass()
      if fails.withLock({ $0 }) { throw NotesError.missing(1) }
      return ["one"]
    }
    let first = Task { await model.load() }
    await gate.arrived()
    await model.load()
    #expect(model.items == [], "it returned at once, with nothing loaded")
    gate.open()
    await first.value
    #expect(model.items == ["one"] && calls.entries.count == 1)
    fails.withLock { $0 = true }
    await model.load()
    #expect(model.items == [])
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
