import SerialTasks
import Testing

/// The README, run: what it says goes wrong does, and what it says cures it does.
@Suite(.watched, .oneOrder) struct ReadmeTests {
  let gate = Gate()

  /// Slow with the first note.
  private var upload: @Sendable ([String]) async throws -> Void {
    { [gate] in if $0 == ["milk"] { await gate.pass() } }
  }

  /// "milk" is being uploaded while "eggs" comes and goes.
  @Test func theProblem() async throws {
    let notebook = Before.Notebook(upload: upload)
    let milk = Task { try await notebook.append("milk") }
    await gate.waitForArrivals()
    try await notebook.append("eggs")
    gate.open()
    try await milk.value
    #expect(await notebook.notes == ["milk"], "the README says that a note is lost")
  }

  /// Fails if: the executor lets the second job in while the first awaits.
  @Test func theCure() async throws {
    let notebook = After.Notebook(upload: upload)
    let milk = Task { try await notebook.append("milk") }
    await gate.waitForArrivals()
    let eggs = Task { try await notebook.append("eggs") }
    try await notebook.line.waitUntil(waiting: 1)
    gate.open()
    _ = (try await milk.value, try await eggs.value)
    #expect(await notebook.notes == ["milk", "eggs"])
  }

  /// Fails if: it is longer than what is read in a quarter of an hour.
  @Test func itIsShort() throws {
    let lines = try Page(Page.root.appending(path: "README.md")).lines
    #expect(lines.dropLast().count <= 150)
    #expect(lines.reduce(0) { $0 + $1.split(separator: " ").count } <= 1_250)
  }

  /// Fails if: a job, a read or a write of the README's blocks does not run, or not in order.
  @Test func theOtherTypes() async throws {
    let log = Log()
    try await ReadmeUse.merging(API(), log)
    #expect(log.entries == [#"ann ["ann 10", "milk"], then ["ann 10", "milk", "eggs", "tea"]"#])
  }

  @Test func aTestOfYourOwn() async throws {
    try await ReadmeUse.testing(SerialTaskExecutor())
  }
}
