import SerialTasks
import Testing

/// Writes that have no task while they wait, and code that must run in a turn.
@Suite(.watched) struct DetachedWriteTests {
  private enum Local { @TaskLocal static var value = 0 }

  /// ```
  /// read 1      ├── held ──────┤
  /// write all      └ waits ····├┤
  /// read 2            └ waits ··├┤   sees what was written
  /// ```
  /// Fails if: it does not take the place of a write before the call returns, or inherits what its caller has.
  @Test func itIsAWriteInItsPlace() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes")
    let (gate, log) = (Gate(), Log<String>())
    let read = Task.immediate { try await notes.read(1) { await gate.pass() } }
    await gate.arrived()
    let write = Local.$value.withValue(7) { notes.submitWriteDetached(name: "write") { log("wrote \(Local.value)") } }
    let later = Task.immediate { try await notes.read(2) { log("read") } }
    #expect(notes.snapshot.waiting == 2 && write.name == "write")
    gate.open()
    try await read.value
    try await write.value
    try await later.value
    #expect(log.entries == ["wrote 0", "read"])
  }

  /// Fails if: it touches other keys than it says, or those not.
  @Test func itTouchesWhatItSays() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes")
    let gate = Gate()
    let write = notes.submitWriteDetached(touching: [1]) { await gate.pass() }
    await gate.arrived()
    try await notes.read(2) {}
    let same = Task.immediate { try await notes.read(1) {} }
    #expect(notes.snapshot.waiting == 1)
    gate.open()
    try await write.value
    try await same.value
  }

  /// Fails if: a rejection or an error is not of the type that was asked for.
  @Test func typedErrors() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes")
    notes.pause()
    let all = notes.submitWriteDetached(rejectedAs: { _ in BackendError(call: 1) }) { () throws(BackendError) in }
    let some = notes.submitWriteDetached(touching: [1], rejectedAs: { _ in BackendError(call: 2) }) {
      () throws(BackendError) in
    }
    let fails = notes.submitWriteDetached(touching: [2], rejectedAs: { _ in BackendError(call: 2) }) {
      () throws(BackendError) in throw BackendError(call: 3)
    }
    all.cancel()
    some.cancel()
    notes.resume()
    #expect(await error(of: all)?.call == 1)
    #expect(await error(of: some)?.call == 2)
    #expect(await error(of: fails)?.call == 3)
  }

  private func error(of job: SubmittedJob<Void, BackendError>) async -> BackendError? {
    if case .failure(let error) = await job.result { error } else { nil }
  }

  /// Fails if: it stops a program that is in a turn.
  @Test func codeInATurnGoesOn() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes")
    try await notes.write { notes.preconditionInJob() }
    try await notes.write(touching: [1]) { notes.preconditionInJob("in a write") }
    try await notes.read(1) { notes.preconditionInJob() }
  }
}
