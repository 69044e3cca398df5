import SerialTasks
import Testing

/// The README, run: what it says goes wrong does, and what it says cures it does.
@Suite(.watched) struct ReadmeTests {
  let gate = Gate()

  /// Slow with the first note.
  private var upload: @Sendable ([String]) async throws -> Void {
    { [gate] in if $0 == ["milk"] { await gate.pass() } }
  }

  /// "milk" is being uploaded while "eggs" comes and goes.
  @Test func theProblem() async throws {
    let notebook = Before.Notebook(upload: upload)
    let milk = Task { try await notebook.append("milk") }
    await gate.arrived()
    try await notebook.append("eggs")
    gate.open()
    try await milk.value
    #expect(await notebook.notes == ["milk"], "the README says that a note is lost")
  }

  /// Fails if: the executor lets the second job in while the first awaits.
  @Test func theCure() async throws {
    let notebook = After.Notebook(upload: upload)
    let milk = Task { try await notebook.append("milk") }
    await gate.arrived()
    let eggs = Task { try await notebook.append("eggs") }
    try await notebook.line.waits(for: 1)
    gate.open()
    _ = (try await milk.value, try await eggs.value)
    #expect(await notebook.notes == ["milk", "eggs"])
  }

  @Test func theOtherTypes() async throws {
    let log = Log()
    try await ReadmeUse.merging(API(), log)
    #expect(log.entries == ["saved: success()", #"ann ["ann 10", "milk"]"#])
  }

  /// Fails if: a load is shown that a newer one has replaced, or the call returns before its result is shown.
  @Test @MainActor func aScreenThatReloads() async throws {
    let api = API()
    try await api.save("milk")
    let screen = ReadmeUse.FeedScreen()
    try await ReadmeUse.reloading(api, screen)
    #expect(screen.items == ["milk"])
  }

  /// Fails if: a full line lets one more in, or a free one lets none in.
  @Test func aLineThatIsFull() async throws {
    let (api, log) = (API(), Log())
    try await ReadmeUse.limited(api, log, blocking: gate)
    #expect(log.entries == ["100 wait already"])
    gate.open()
    try await ReadmeUse.limited(api, log, blocking: nil)
    #expect(try await api.notes() == ["tea"])
  }

  /// Fails if: the README's handler does not see when a job began, or logs a job that went well.
  @Test func knowingWhatHappens() async throws {
    let (log, waits) = (Log(), Log())
    let orders = ReadmeUse.observed(API(), log) { waits($0 >= .zero ? "waited" : "negative") }
    try await orders.drain()
    #expect(log.entries.isEmpty && waits.entries == ["waited"])
    orders.submit(name: "save tea") { throw NotesError.missing(1) }
    try await orders.drain()
    #expect(log.entries == ["orders: save tea failed: missing(1)"])
  }

  @Test func theDeadlock() async throws {
    try await ReadmeUse.deadlock(SerialTaskExecutor(name: "notes"), SerialTaskExecutor(name: "audit"))
  }
}
