import CoalescingTasks
import Testing

/// Who leaves a load, who keeps it going, and what `cancel()` ends.
@Suite(.watched) struct ReloadLeavingTests {
  private func expectCancelled(_ caller: Task<Int, any Error>) async {
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  /// Fails if: who is cancelled already joins, follows or supersedes anything.
  @Test(arguments: Trigger.allCases) func cancelledBeforeTheCall(trigger: Trigger) async throws {
    let events = Log<String>()
    let screen = LoadedScreen { events("\($0)") }
    let first = await screen.beginning(.appear)
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await screen.reloader.reload(trigger)
    }
    await expectCancelled(caller)
    #expect(screen.reloader.snapshot.waiting == 1)
    #expect(events.entries == ["screen: appear began", "screen: \(trigger) was rejected: \(JobRejection.cancelled)"])
    screen.openAll()
    #expect(try await first.value == 1)
    try await screen.settled()
    #expect(screen.loads == 1)
  }

  // MARK: cancel()

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
