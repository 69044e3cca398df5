import CoalescingTasks
import TestWatch
import Testing

/// A load that waits for its own reloader is rejected, and no other caller is.
@Suite(.watched) struct ReloadDeadlockTests {
  /// ```
  /// load 0   ├─ waits for notes ············ notes ┤├─ load 1 ┤
  /// job           ├─ notes ── asks for load 2 ✗ ─┤
  /// ```
  /// Fails if: a rejected caller has asked first, and has changed for what reason the next load is made.
  @Test func aRejectedCallerHasChangedNothingThatFollows() async throws {
    struct Pull: ReloadReason {
      let number: Int
      let policy = ReloadPolicy.rerun
    }
    let (notes, asked, loaded) = (SerialTaskExecutor(name: "notes"), Gate(), Log<Int>())
    let reloader = Reloader<Pull, Int>(name: "screen") { pull in
      loaded(pull.number)
      guard pull.number == 0 else { return pull.number }
      await asked.pass()
      return try await notes.enqueue { 0 }
    } apply: { _ in
    }
    let first = Task.immediate { try await reloader.reload(Pull(number: 0)) }
    await asked.arrived()
    let next = Task.immediate { try await reloader.reload(Pull(number: 1)) }
    try await notes.enqueue {
      asked.open()
      try await notes.waits(for: 1)
      await expectCycle(["screen", "notes", "screen"]) { try await reloader.reload(Pull(number: 2)) }
      #expect(reloader.snapshot.next?.number == 1)
    }
    #expect(try await (first.value, next.value) == (0, 1))
    #expect(loaded.entries == [0, 1])
  }
}
