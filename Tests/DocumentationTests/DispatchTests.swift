import Foundation
import SerialTasks
import Testing

/// The article for those who come from Grand Central Dispatch, run.
@Suite(.watched, .oneOrder) struct DispatchTests {
  let gate = Gate()

  @Test func after() async throws {
    let server = LegacyServer()
    let store = DispatchAfter.Store(server: server)
    try await store.save(Note(id: 1))
    try await store.saveLater(Note(id: 2)).value
    #expect(store.saved == 2 && server.saved.count == 2)
  }

  /// Fails if: a barrier lets others in while its callback has not been called, or blocks who reads a variable.
  @Test func aBarrierLastsUntilTheCallback() async throws {
    let server = LegacyServer(gate: gate)
    let store = DispatchAfter.Store(server: server)
    let saving = store.saveLater(Note(id: 1))
    await gate.waitForArrivals()
    let reading = Task.immediate { try await store.export { server.saved } }
    let second = store.saveLater(Note(id: 2))
    #expect(store.saved == 0)
    gate.open()
    try await saving.value
    #expect(try await reading.value.map(\.id) == [1])
    try await second.value
  }

  /// What the table says of `suspend()` and of `sync` inside a block of the same queue.
  ///
  /// Fails if: two pauses need two resumes, or a job that waits for its own line hangs.
  @Test func pausesAreNotCounted() async throws {
    let line = SerialTaskExecutor(name: "line")
    line.pause()
    line.pause()
    line.resume()
    try await line.enqueue {}
    // Detached, because this suite is watched for deadlocks.
    let inside = Task.detached { try await line.enqueue { try await line.enqueue {} } }
    await #expect(throws: JobRejection.self) { try await inside.value }
  }
}
