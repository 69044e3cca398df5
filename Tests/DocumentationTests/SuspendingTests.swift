import SerialTasks
import Synchronization
import Testing

/// The article on what to do when the app goes to the background, run.
@Suite(.watched, .oneOrder) @MainActor struct SuspendingTests {
  /// Notes what is written, and whether it is open; holds the saves of one text at a gate.
  private final class File: DraftStore {
    let log = Log()
    let isOpen = Mutex(true)
    let fails = Mutex(false)
    let gate = Gate()

    func save(_ draft: Draft) async throws {
      #expect(isOpen.withLock { $0 })
      if draft.text == "held" { await gate.pass() }
      #expect(isOpen.withLock { $0 }, "nothing runs while the file is closed")
      if fails.withLock({ $0 }) { throw NotesError.missing(draft.id) }
      log(draft.text)
    }

    func open() async { isOpen.withLock { $0 = true } }
    func close() async { isOpen.withLock { $0 = false } }
  }

  private let file = File()
  let clock = ManualClock()

  private func isOpen() -> Bool { file.isOpen.withLock { $0 } }

  /// The clock stands still: no pause in typing passes.
  ///
  /// Fails if: a draft is not written before the app is suspended, or anything begins afterwards and before the return.
  @Test func draftsAreWrittenBeforeTheAppIsSuspended() async throws {
    let drafts = Drafts(store: file, clock: clock)
    drafts.typed(Draft(id: 1, text: "mil"))
    drafts.typed(Draft(id: 1, text: "milk"))
    drafts.typed(Draft(id: 2, text: "eggs"))
    try await drafts.enterBackground().value
    #expect(file.log.entries.sorted() == ["eggs", "milk"] && !isOpen())
    drafts.typed(Draft(id: 3, text: "tea"))
    #expect(drafts.notes.snapshot.waiting == 1 && drafts.notes.snapshot.isPaused)
    drafts.enterForeground()
    try await drafts.notes.drain()
    #expect(file.log.entries.last == "tea" && isOpen())
  }

  /// Fails if: when the time is up the waiting writes are still awaited, the running one is not, or what waits is lost.
  @Test func whenTheTimeIsUp() async throws {
    let drafts = Drafts(store: file, clock: clock)
    let running = drafts.notes.submitWrite(touching: [1]) { [file] in try await file.save(Draft(id: 1, text: "held")) }
    await file.gate.waitForArrivals()
    drafts.typed(Draft(id: 1, text: "later"))
    drafts.typed(Draft(id: 2, text: "free"))
    let leaving = drafts.enterBackground()
    try await until { file.log.entries == ["free"] }  // it drains
    leaving.cancel()
    try await until { drafts.notes.snapshot.isPaused }
    #expect(isOpen(), "a write runs: the file is still needed")
    file.gate.open()
    try await leaving.value
    try await running.value
    #expect(file.log.entries == ["free", "held"] && !isOpen() && drafts.notes.snapshot.waiting == 1)
    drafts.enterForeground()
    try await drafts.notes.drain()
    #expect(file.log.entries == ["free", "held", "later"])
  }

  /// Fails if: a return while the app is leaving is undone by it.
  @Test func returningWhileLeaving() async throws {
    let drafts = Drafts(store: file, clock: clock)
    drafts.notes.submitWrite(touching: [1]) { [file] in try await file.save(Draft(id: 1, text: "held")) }
    await file.gate.waitForArrivals()
    let leaving = drafts.enterBackground()
    drafts.enterForeground()
    file.gate.open()
    _ = await leaving.result
    drafts.typed(Draft(id: 1, text: "on"))
    try await until { !drafts.notes.snapshot.isPaused && isOpen() }
    try await drafts.notes.drain()
    #expect(file.log.entries == ["held", "on"])
  }

  /// What the article says of `pauseAndWait()` alone.
  ///
  /// Fails if: it writes a draft behind a running write, does not write one that waits for nothing else, or loses one.
  @Test func pausingWritesNoDraftBehindARunningWrite() async throws {
    let drafts = Drafts(store: file, clock: clock)
    drafts.notes.submitWrite(touching: [1]) { [file] in try await file.save(Draft(id: 1, text: "held")) }
    await file.gate.waitForArrivals()
    drafts.typed(Draft(id: 1, text: "behind"))
    drafts.typed(Draft(id: 2, text: "free"))
    let pausing = Task.immediate { try await drafts.notes.pauseAndWait() }
    file.gate.open()
    try await pausing.value
    #expect(file.log.entries.sorted() == ["free", "held"] && drafts.notes.snapshot.waiting == 1)
    drafts.notes.resume()
    try await drafts.notes.drain()
    #expect(file.log.entries.last == "behind")
  }

  /// Fails if: the text that failed is submitted again, and replaces or delays a newer one; or nothing is.
  @Test(arguments: [true, false]) func aDraftThatFails(typesOn: Bool) async throws {
    let editor = Editor(Draft(id: 1, text: ""), store: file, clock: clock)
    file.fails.withLock { $0 = true }
    editor.typed("held")
    clock.advance(by: .milliseconds(300))
    await file.gate.waitForArrivals()  // it is being saved …
    if typesOn { editor.typed("newer") }  // … while the user types on
    file.gate.open()
    try await until { editor.notes.snapshot.running == 0 }  // it has failed
    file.fails.withLock { $0 = false }
    #expect(editor.notes.snapshot.waiting == 1 && file.log.entries.isEmpty)
    clock.advance(by: typesOn ? .milliseconds(300) : .seconds(5))
    try await until { editor.notes.snapshot.waiting + editor.notes.snapshot.running == 0 }
    #expect(file.log.entries == [typesOn ? "newer" : "held"])
  }

  /// Fails if: a save that `cancelAll()` has cancelled is tried again.
  @Test func aDraftThatIsCancelled() async throws {
    let editor = Editor(Draft(id: 1, text: ""), store: file, clock: clock)
    file.fails.withLock { $0 = true }
    editor.typed("held")
    clock.advance(by: .milliseconds(300))
    await file.gate.waitForArrivals()
    editor.notes.cancelAll()
    file.gate.open()
    try await editor.notes.drain()
    #expect(editor.notes.snapshot.waiting == 0 && clock.alarms.isEmpty)
  }

  /// Fails if: a read misses a draft, or waits until the pause in typing has passed.
  @Test func aReadSeesTheDraft() async throws {
    let drafts = Drafts(store: file, clock: clock)
    drafts.typed(Draft(id: 1, text: "milk"))
    let seen = try await drafts.notes.read(1) { [file] in file.log.entries }
    #expect(seen == ["milk"])
  }
}
