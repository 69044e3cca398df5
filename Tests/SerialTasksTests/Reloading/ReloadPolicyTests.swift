import CoalescingTasks
import Testing

/// What each policy does to each that runs already, and what every caller gets: the table of ``ReloadPolicy``.
@Suite(.watched) struct ReloadPolicyTests {
  /// Whether the new load begins while a cancellation handler of the old one runs, which looks for that for a while.
  /// ```
  /// main thread   ├─ change! ─ the handler of load 1 ──────┤
  /// load 1        ├─ runs ····································┤
  /// load 2                        ├─ runs ···
  /// ```
  @MainActor private func beginsBesideTheHandlersOfTheOld() async throws -> Bool {
    let (begun, seen, gate) = (Log<Trigger>(), Log<Bool>(), Gate())
    let reloader = Reloader<Trigger, Void> { @concurrent trigger in
      begun(trigger)
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        seen((0..<50_000).contains { _ in begun.entries.count == 2 })
      }
    } apply: { _ in
    }
    reloader.request(.appear)
    await gate.arrived()
    reloader.request(.change)
    gate.open()
    try await until { reloader.snapshot.running == 0 }
    return seen.entries == [true]
  }

  /// The pool may be busy, so there are many rounds, urgent ones, and one is enough.
  ///
  /// Fails if: the new load begins only when the old one's cancellation handlers have run.
  @Test func theNewLoadDoesNotWaitForTheHandlersOfTheOld() async throws {
    let hasBegun = Task(priority: .high) {
      for _ in 0..<200 where try await beginsBesideTheHandlersOfTheOld() { return true }
      return false
    }
    #expect(try await hasBegun.value)
  }

  /// One joins what runs after another has asked to follow it.
  ///
  /// Fails if: callers of the load that runs are carried over before those of the one that waits, in whatever order they came.
  @Test @MainActor func callersThatAreCarriedOverGoOnInTheOrderInWhichTheyCame() async throws {
    let screen = LoadedScreen()
    let (answered, thread, reloader) = (Log<Int>(), OneThread(), screen.reloader)
    func asking(_ caller: Int, _ trigger: Trigger) -> Task<Void, any Error> {
      thread.start {
        let answer = try await reloader.reload(trigger)
        #expect(answer == 2)
        answered(caller)
      }
    }
    let first = asking(1, .appear)
    await screen.began(1)
    let others = [asking(2, .pull), asking(3, .appear), asking(4, .pull), asking(5, .change)]
    try await thread.allHaveParked()
    screen.openAll()
    for caller in [first] + others { try await caller.value }
    #expect(answered.entries == [1, 2, 3, 4, 5])
  }
}
