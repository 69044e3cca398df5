import SerialTasks
import Testing

/// Who leaves a load, who keeps it going, and what `cancel()` ends.
@Suite(.watched) struct ReloadLeavingTests {
  private func expectCancelled(_ caller: Task<Int, any Error>) async {
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  private func expectWithdrawn(_ caller: Task<Int, any Error>) async {
    await #expect(throws: JobRejection.withdrawn) { try await caller.value }
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

  /// Fails if: a load that no caller wants goes on, or lands.
  @Test func anUnwantedLoadIsCancelledAndDoesNotLand() async throws {
    let screen = LoadedScreen()
    let callers = [await screen.beginning(.appear), screen.asking(.appear)]
    for caller in callers { caller.cancel() }
    for caller in callers { await expectCancelled(caller) }
    #expect(screen.reloader.snapshot.running == 0)
    screen.openAll()
    try await until { screen.source.cancelled.entries == [1] }
    #expect(try await screen.reloader.reload(.appear) == 2)
    #expect(screen.applied.entries == [2])
  }

  /// The screen began it, joined it, or began what it replaced.
  ///
  /// Fails if: the last caller to leave cancels a load that the screen has asked for.
  @Test(arguments: ["begun", "joined", "replaced"]) func aLoadThatTheScreenWantsGoesOn(how: String) async throws {
    let screen = LoadedScreen()
    if how != "joined" { screen.reloader.request(.appear) }
    let caller = screen.asking(how == "replaced" ? .change : .appear)
    if how == "joined" { screen.reloader.request(.appear) }
    caller.cancel()
    await expectCancelled(caller)
    #expect(screen.reloader.snapshot.running > 0)
    screen.openAll()
    try await screen.settled()
    #expect(screen.applied.entries.count == 1)
    #expect(screen.applied.entries == [screen.loads])
  }

  /// Fails if: what waits to follow a load waits for one that no caller wants, or is lost with it.
  @Test func whatWaitsToFollowBeginsWhenTheOneBeforeItIsLeft() async throws {
    let screen = LoadedScreen()
    let first = await screen.beginning(.appear)
    let second = screen.asking(.pull)
    first.cancel()
    await expectCancelled(first)
    await screen.began(2)
    screen.openAll()
    #expect(try await second.value == 2)
    #expect(screen.applied.entries == [2])
  }

  /// Fails if: a load that waits goes on without anybody who wants it.
  @Test func whatWaitsToFollowNeverBeginsWhenItIsLeft() async throws {
    let screen = LoadedScreen()
    let first = await screen.beginning(.appear)
    let others = [screen.asking(.pull), screen.asking(.pull)]
    for caller in others { caller.cancel() }
    for caller in others { await expectCancelled(caller) }
    #expect(screen.reloader.snapshot.next == nil)
    screen.openAll()
    #expect(try await first.value == 1)
    try await screen.settled()
    #expect(screen.loads == 1)
  }

  /// Fails if: who was carried over can only leave the load that it once waited for.
  @Test func whoWasCarriedOverLeavesTheNewLoad() async throws {
    let screen = LoadedScreen()
    let first = await screen.beginning(.appear)
    let second = screen.asking(.change)
    await screen.began(2)
    first.cancel()
    await expectCancelled(first)
    #expect(screen.reloader.snapshot.waiting == 1)
    second.cancel()
    await expectCancelled(second)
    #expect(screen.reloader.snapshot.running == 0)
    screen.openAll()
    try await until { screen.source.cancelled.entries.sorted() == [1, 2] }
    #expect(screen.applied.entries.isEmpty)
  }

  // MARK: cancel()

  /// Fails if: `cancel()` spares a load, its callers, or what it returns all the same.
  @Test func cancelEndsWhatRunsAndWhatWaits() async throws {
    let screen = LoadedScreen()
    screen.reloader.request(.appear)
    await screen.began(1)
    let callers = [screen.asking(.appear), screen.asking(.pull), screen.asking(.pull)]
    screen.reloader.cancel()
    #expect(screen.reloader.snapshot == ReloaderSnapshot(waiting: 0, running: 0, reason: nil, next: nil))
    for caller in callers { await expectWithdrawn(caller) }
    screen.reloader.cancel()
    #expect(screen.reloader.snapshot.running == 0)
    screen.openAll()
    try await until { screen.source.cancelled.entries == [1] }
    #expect(try await screen.reloader.reload(.pull) == 2)
    #expect(screen.applied.entries == [2])
    #expect(screen.loads == 2)
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
