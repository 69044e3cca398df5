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
    await gate.waitForArrivals()
    try await after.coalescer.waitUntil(waiting: 3)
    gate.open()
    for screen in screens { #expect(try await screen.value.name == "ann") }
    #expect(api.calls == 1)
  }

  @Test func singleFlights() async throws {
    let (profile, isShared) = try await SingleFlightUse.use(API(), "ann")
    #expect(profile.name == "ann" && !isShared)
  }
}
