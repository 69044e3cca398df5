import CoalescingTasks
import TestWatch
import Testing

private struct Page: ReloadReason, CustomStringConvertible {
  let number: Int
  var policy: ReloadPolicy { .rerun }
  var description: String { "page \(number)" }
}

/// What only loads do: reasons, the order of callers that are carried over, and many loads in a row.
@Suite(.watched) struct ReloadTests {
  /// Fails if: a load that follows another, for the newest of several reasons, is reported to begin or end for an older one.
  @Test func aLoadOfSeveralReasonsIsReportedWithTheNewest() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let reloader = Reloader<Page, Int>(
      name: "list",
      load: { page in
        await gate.pass()
        return page.number
      }, apply: { _ in }, onEvent: { log("\($0)") })
    let first = Task.immediate { try await reloader.reload(Page(number: 1)) }
    await gate.arrived()
    let followers = [2, 3].map { number in Task.immediate { try await reloader.reload(Page(number: number)) } }
    gate.open()
    #expect(try await first.value == 1)
    for follower in followers { #expect(try await follower.value == 3) }
    try await until { log.entries.count >= 6 }
    #expect(
      log.entries == [
        "list: page 1 began", "list: page 2 waits", "list: page 3 was joined", "list: page 1 finished",
        "list: page 3 began", "list: page 3 finished",
      ])
  }

  /// ```
  /// load 0   ├─ waits for notes ············ notes ┤├─ load 1 ┤
  /// job           ├─ notes ── asks for load 2 ✗ ─┤
  /// ```
  /// Fails if: a rejected caller has asked first, and has changed for what reason the next load is made.
  @Test func aRejectedCallerHasChangedNothingThatFollows() async throws {
    let (notes, asked, loaded) = (SerialTaskExecutor(name: "notes"), Gate(), Log<Int>())
    let reloader = Reloader<Page, Int>(name: "screen") { page in
      loaded(page.number)
      guard page.number == 0 else { return page.number }
      await asked.pass()
      return try await notes.enqueue { 0 }
    } apply: { _ in
    }
    let first = Task.immediate { try await reloader.reload(Page(number: 0)) }
    await asked.arrived()
    let next = Task.immediate { try await reloader.reload(Page(number: 1)) }
    try await notes.enqueue {
      asked.open()
      try await notes.waits(for: 1)
      await expectCycle(["screen", "notes", "screen"]) { try await reloader.reload(Page(number: 2)) }
      #expect(reloader.snapshot.next?.number == 1)
    }
    #expect(try await (first.value, next.value) == (0, 1))
    #expect(loaded.entries == [0, 1])
  }

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
    let (answered, thread, loads, gate) = (Log<Int>(), OneThread(), Log<Int>(), Gate())
    let reloader = Reloader<Trigger, Int> { _ in
      let load = loads.add(0) + 1
      await gate.pass()
      return load
    } apply: { _ in
    }
    func asking(_ caller: Int, _ trigger: Trigger) -> Task<Void, any Error> {
      thread.start {
        let answer = try await reloader.reload(trigger)
        #expect(answer == 2)
        answered(caller)
      }
    }
    let first = asking(1, .appear)
    await gate.arrived()
    let others = [asking(2, .pull), asking(3, .appear), asking(4, .pull), asking(5, .change)]
    try await thread.allHaveParked()
    gate.open()
    for caller in [first] + others { try await caller.value }
    #expect(answered.entries == [1, 2, 3, 4, 5])
  }

  /// A thousand times in a row, each supersedes the one before; now and then the loop makes room for what has loaded.
  ///
  /// It asks where results are applied, so whatever is applied must be the newest that was asked for.
  ///
  /// Fails if: superseding starves the newest, or what was superseded lands.
  @Test @MainActor func supersedingInATightLoopLandsTheNewestOnce() async throws {
    struct Change: ReloadReason {
      let number: Int
      let policy = ReloadPolicy.supersede
    }
    let (applied, stale, ended) = (Log<Int>(), Log<Int>(), Log<Int>())
    let newest = Lock(0)
    let reloader = Reloader<Change, Int> { @concurrent change in
      await Task.yield()
      return change.number
    } apply: { number in
      applied(number)
      if number != newest.withLock({ $0 }) { stale(number) }
    } onEvent: { event in
      switch event.kind {
      case .finished, .failed, .rejected: ended(1)
      case .waiting, .drafted, .began, .joined, .served, .heldTooLong, .replaced, .left: break
      }
    }
    for number in 1..<1_000 {
      newest.withLock { $0 = number }
      reloader.request(Change(number: number))
      if number.isMultiple(of: 10) { await Task.yield() }
    }
    newest.withLock { $0 = 1_000 }
    #expect(try await reloader.reload(Change(number: 1_000)) == 1_000)
    try await until { @Sendable in ended.entries.count == 1_000 }
    #expect(stale.entries.isEmpty)
    #expect(applied.entries.last == 1_000)
    #expect(applied.entries.count { $0 == 1_000 } == 1)
    #expect(applied.entries == applied.entries.sorted())
  }
}
