import Foundation
import SerialTasks
import Testing

/// The article for those who come from Grand Central Dispatch, run: before and after.
@Suite(.watched, .oneOrder) struct DispatchTests {
  let gate = Gate()
  let log = Log()

  @Test func before() async {
    let store = DispatchBefore.Store(server: LegacyServer())
    await withCheckedContinuation { all in
      store.saveAll([Note(id: 1), Note(id: 2)]) { all.resume() }
    }
    #expect(store.saved == 2)
  }

  @Test func after() async throws {
    let server = LegacyServer()
    let store = DispatchAfter.Store(server: server)
    try await store.saveAll([Note(id: 1), Note(id: 2)])
    try await store.saveLater(Note(id: 3)).value
    #expect(store.saved == 3 && server.saved.count == 3)
  }

  /// Fails if: a barrier lets others in while its callback has not been called, or blocks who reads a variable.
  @Test func aBarrierLastsUntilTheCallback() async throws {
    let server = LegacyServer(gate: gate)
    let store = DispatchAfter.Store(server: server)
    let saving = store.saveLater(Note(id: 1))
    await gate.arrived()
    let reading = Task.immediate { try await store.export { server.saved } }
    let second = store.saveLater(Note(id: 2))
    #expect(store.saved == 0)
    gate.open()
    try await saving.value
    #expect(try await reading.value.map(\.id) == [1])
    try await second.value
  }

  /// Fails if: a handler does not arrive on the main actor.
  @Test @MainActor func onTheMainActor() async throws {
    let screen = DispatchAfter.Screen()
    screen.save(Note(id: 1), to: FakeService())
    try await until { screen.title == "saved ✓" }
  }

  /// Fails if: more jobs run than the semaphore had, or `drain()` returns before the last has ended.
  @Test func aWidth() async throws {
    let photos = (1...10).map(String.init)
    let uploading = Task { [gate, log] in
      try await DispatchAfter.width(photos) {
        log($0)
        await gate.pass()
      }
    }
    await gate.arrived(4)
    #expect(log.entries.count == 4)
    gate.open()
    try await uploading.value
    #expect(log.entries.count == 10)
  }

  /// Fails if: a batch of which a job has failed returns like one that went well, or before all have ended.
  @Test func anErrorOfABatchIsNotLost() async throws {
    await #expect(throws: NotesError.missing(3)) {
      try await DispatchAfter.width((1...10).map(String.init)) { [log] photo in
        if photo == "3" { throw NotesError.missing(3) }
        log(photo)
      }
    }
    #expect(log.entries.count == 9)
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
    await #expect(throws: JobRejection.self) { try await line.enqueue { try await line.enqueue {} } }
  }
}
