import SerialTasks
import Testing

/// The steps of the article on wrapping a repository, run.
@Suite(.watched, .oneOrder) struct RepositoryArticleTests {
  let gate = Gate()

  /// What the article says of the plain actor: an append overwrites what came between.
  @Test func aPlainActorWritesOver() async throws {
    let service = FakeService(reading: gate)
    try await service.save(Note(id: 1, text: "milk"))
    let repository = PlainActor.NotesRepository(service: service)
    let append = Task { try await repository.append(" and eggs", to: 1) }
    await gate.waitForArrivals()
    try await repository.save(Note(id: 1, text: "bread"))
    gate.open()
    try await append.value
    #expect(try await repository.notes() == [Note(id: 1, text: "milk and eggs")])
  }

  /// Fails if: a save gets in between the read and the write of `append`.
  @Test func inOrderNothingIsLost() async throws {
    let service = FakeService(reading: gate)
    try await service.save(Note(id: 1, text: "milk"))
    let repository = OrderedWrites.NotesRepository(service: service)
    let append = Task { try await repository.append(" and eggs", to: 1) }
    await gate.waitForArrivals()
    let save = Task { try await repository.save(Note(id: 1, text: "bread")) }
    try await repository.line.waitUntil(waiting: 1)
    gate.open()
    _ = (try await append.value, try await save.value)
    #expect(try await repository.notes() == [Note(id: 1, text: "bread")])
    #expect(await repository.saved == [Note(id: 1, text: "bread")])
  }

  /// That reads merge is tested where it can be seen, in `ReadTests`.
  ///
  /// Fails if: a read inside a write waits for that write.
  @Test func readsMerge() async throws {
    let service = FakeService(reading: gate)
    let repository = MergedReads.NotesRepository(service: service)
    let screens = (1...3).map { _ in Task { try await repository.notes() } }
    await gate.waitForArrivals()
    gate.open()
    for screen in screens { #expect(try await screen.value == []) }
    try await repository.save(Note(id: 1, text: "milk"))
    try await repository.append(" and eggs", to: 1)
    #expect(try await repository.note(1).text == "milk and eggs")
    #expect(await repository.saved == [Note(id: 1, text: "milk")])
  }

  /// That others go on is tested where it can be seen, in `InsideTests`.
  ///
  /// Fails if: an older save overwrites the newest, or a read inside a write waits for that write.
  @Test func onlyTheNewestTextIsSaved() async throws {
    let service = FakeService(reading: gate)
    let repository = TouchingWrites.NotesRepository(service: service)
    try await repository.importNotes([Note(id: 1, text: "milk"), Note(id: 2, text: "bread")])
    let append = Task { try await repository.append(" and eggs", to: 1) }
    await gate.waitForArrivals()
    for text in ["m", "mi", "milk"] { repository.typed(Note(id: 1, text: text)) }
    #expect(repository.line.snapshot.waiting == 1)
    gate.open()
    try await append.value
    try await repository.save(Note(id: 2, text: "butter"))
    #expect(try await repository.notes().map(\.text).sorted() == ["butter", "milk"])
    #expect(try await repository.note(1).text == "milk")
  }

  @Test func errorsAreTyped() async throws {
    let repository = TypedErrors.NotesRepository(service: FakeService())
    do throws(NotesError) { _ = try await repository.note(7) } catch { #expect(error == .missing(7)) }
    try await repository.save(Note(id: 7, text: "milk"))
    try await repository.append(" and eggs", to: 7)
    #expect(try await repository.note(7).text == "milk and eggs")
    repository.line.close()
    do throws(NotesError) { _ = try await repository.note(7) } catch { #expect(error == .unavailable(.closed)) }
  }

  @Test @MainActor func aModelOnTheMainActor() async throws {
    let model = MainActorModel.NotesModel(service: FakeService())
    try await model.save(Note(id: 1))
    #expect(model.shown == [Note(id: 1)])
    try await model.load()
    #expect(model.shown == [Note(id: 1)])
  }

  /// A read ends as the user logs out.
  ///
  /// Fails if: the model assigns what a read has returned after the read, and not inside it.
  @Test @MainActor func nothingIsShownAfterTheLogOut() async throws {
    func service(holding gate: Gate) async throws -> FakeService {
      let service = FakeService(reading: gate)
      try await service.save(Note(id: 1))
      return service
    }
    for round in 0..<200 {
      let gate = Gate()
      let model = MainActorModel.NotesModel(service: try await service(holding: gate))
      let load = Task { try await model.load() }
      await gate.waitForArrivals()
      gate.open()
      for _ in 0..<round % 20 { await Task.yield() }
      await model.line.shutDown(within: .zero)
      let shown = model.shown
      _ = await load.result
      #expect(model.shown == shown)
    }
  }
}
