import SerialTasks
import Testing

/// The articles on cancellation, deadlocks and what does not compile, run.
@Suite(.watched, .oneOrder) struct ArticleTests {
  let line = SerialTaskExecutor(name: "line")
  let gate = Gate()
  let log = Log()

  @Test func aSubmittedJobGoesOn() async throws {
    try await CancellationUse.submitted(line) { [log] in log("sent") }
    #expect(log.entries == ["sent"])
  }

  /// Fails if: what was submitted is lost when the task that did it is cancelled, or two jobs overlap.
  @Test func whatMustHappenIsSubmitted() async throws {
    let notebook = ChoosingUse.Notebook { [gate] in if $0 == ["milk"] { await gate.pass() } }
    let screen = Task {
      await notebook.append("milk")
      await notebook.append("eggs")
    }
    screen.cancel()
    await screen.value
    await gate.waitForArrivals()
    gate.open()
    try await notebook.finish()
    #expect(await notebook.notes == ["milk", "eggs"])
  }

  /// Fails if: an operation stores in a cache what was invalidated meanwhile, or nothing.
  @Test func aCacheIsNotStale() async throws {
    let shown = OfResultCurrent(api: API(gate: gate))
    let old = Task { try await shown.profile(of: "ann") }
    await gate.waitForArrivals()
    shown.hasChanged("ann")
    gate.open()
    _ = try await old.value
    #expect(shown.cache.withLock { $0.isEmpty })
    for _ in 1...2 { _ = try await shown.profile(of: "ann") }
    #expect(shown.api.calls == 2)
  }

  @Test func cancelledIsTypedToo() async throws {
    let service = FakeService()
    let save = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await CancellationUse.typed(line, service, Note(id: 1))
    }
    try await save.value
    #expect(try await service.fetchNotes().isEmpty)
  }

  /// Fails if: the rejection does not reach the `catch` of a function that cannot throw, as the sentence that the article shows.
  @Test func aFunctionThatCannotThrowCatchesTheRejection() async {
    let saves = CompilingUse.Saves()
    #expect(await saves.badge() == 1)
    saves.line.close()
    #expect(await saves.badge() == 0)
    #expect(saves.log.entries == ["The job was rejected: the executor is closed."])
  }

  @Test func aCycleIsNamed() async throws {
    // Detached, because this suite is watched for deadlocks.
    let (notes, audit) = (SerialTaskExecutor(name: "notes"), SerialTaskExecutor(name: "audit"))
    try await Task.detached { try await DeadlockUse.cycle(notes, audit) }.value
  }
}
