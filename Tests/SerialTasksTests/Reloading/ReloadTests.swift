import CoalescingTasks
import TestWatch
import Testing

private struct Page: ReloadReason, CustomStringConvertible {
  let number: Int
  var policy: SharingPolicy { .rerun }
  var description: String { "page \(number)" }
}

@globalActor private actor Stage { static let shared = Stage() }

/// What only loads do, their reasons, where they run, and where results are applied.
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
    await gate.waitForArrivals()
    let followers = [2, 3].map { number in Task.immediate { try await reloader.reload(Page(number: number)) } }
    gate.open()
    #expect(try await first.value == 1)
    for follower in followers { #expect(try await follower.value == 3) }
    try await until { log.entries.count >= 6 }
    #expect(
      log.entries == [
        "list: page 1 began", "list: page 2 waits", "list: page 3 joined page 2", "list: page 1 finished",
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
    await asked.waitForArrivals()
    let next = Task.immediate { try await reloader.reload(Page(number: 1)) }
    try await notes.enqueue {
      asked.open()
      try await notes.waitUntil(waiting: 1)
      await expectCycle(["screen", "notes", "screen"]) { try await reloader.reload(Page(number: 2)) }
      #expect(reloader.snapshot.next?.number == 1)
    }
    #expect(try await (first.value, next.value) == (0, 1))
    #expect(loaded.entries == [0, 1])
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
    await gate.waitForArrivals()
    let others = [asking(2, .pull), asking(3, .appear), asking(4, .pull), asking(5, .change)]
    try await thread.allHaveParked()
    gate.open()
    for caller in [first] + others { try await caller.value }
    #expect(answered.entries == [1, 2, 3, 4, 5])
  }

  /// It asks where results are applied, and never lets one in between.
  ///
  /// Fails if: superseding starves the newest, or what was superseded lands.
  @Test @MainActor func supersedingInATightLoopLandsTheNewestOnce() async throws {
    struct Change: ReloadReason {
      let number: Int
      let policy = SharingPolicy.supersede
    }
    let applied = Log<Int>()
    let reloader = Reloader<Change, Int> { @concurrent change in
      await Task.yield()
      return change.number
    } apply: { number in
      applied(number)
    }
    for number in 1..<1_000 { reloader.request(Change(number: number)) }
    #expect(try await reloader.reload(Change(number: 1_000)) == 1_000)
    try await reloader.drain()
    #expect(applied.entries == [1_000])
  }

  // MARK: - Where they run, and how they are applied

  /// The compiler sees to it: without `@isolated(any)` a closure that says where it runs is not accepted for `apply`.
  ///
  /// Does not compile if: `apply` loses its isolation.
  @Test func bothRunInTheIsolationOfTheirClosures() async throws {
    let reloader = Reloader<Trigger, Int> { @MainActor _ in
      MainActor.preconditionIsolated()
      await Task.yield()
      MainActor.preconditionIsolated()
      return 7
    } apply: { @Stage _ in
      Stage.shared.preconditionIsolated()
    }
    for _ in 0..<100 { _ = try await reloader.reload(.change) }
  }

  /// Fails if: closures that say nothing do not take on the isolation that they are made in.
  @Test @MainActor func bothTakeOnTheIsolationThatTheyAreMadeIn() async throws {
    let areOnMainActor = Log<Bool>()
    let reloader = Reloader<Trigger, Int> { _ in
      areOnMainActor(#isolation === MainActor.shared)
      return 7
    } apply: { _ in
      areOnMainActor(#isolation === MainActor.shared)
    }
    _ = try await reloader.reload(.appear)
    #expect(areOnMainActor.entries == [true, true])
  }

  /// A screen that is busy until the test lets it go on.
  private actor Screen {
    nonisolated let executor = HeldExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var applied: [Int] = []

    func reloader(_ load: @escaping @Sendable (Trigger) async throws -> Int) -> Reloader<Trigger, Int> {
      Reloader(load: load, apply: { self.applied.append($0) })
    }
  }

  /// The load has returned and waits for the actor on which it is to be applied; meanwhile it is decided otherwise.
  ///
  /// ```
  /// load 1   ├─ returns ─ waits for the screen ─┤ goes nowhere
  /// screen   ├─ busy ────────── change! ───────┤ … 2
  /// ```
  /// Fails if: it is decided before the hop to `apply`'s isolation whether a result lands.
  @Test(arguments: [false, true]) func nothingLandsBehindTheBackOfApplysActor(cancels: Bool) async throws {
    let (screen, loads) = (Screen(), Log<Void>())
    let reloader = await screen.reloader { _ in loads.add(()) + 1 }
    screen.executor.hold()
    reloader.request(.appear)
    try await until { screen.executor.waiting == 1 }
    if cancels { reloader.cancel() }
    reloader.request(.change)
    screen.executor.goOn()
    try await until { reloader.snapshot.running == 0 }
    #expect(await screen.applied == [2])
  }

  /// The state alone: no schedule comes between what a task is told and its parking.
  ///
  /// Fails if: a load that followed another parks for ever, or one that has landed does not count as over.
  @Test func aLoadMayBeginBeforeItsTaskHasParked() {
    final class Owner {}
    let owner = Owner()
    var state = ReloaderState<Trigger, Int>()
    func request(_ reason: Trigger) -> ReloadRequest<Trigger> {
      ReloadRequest(owner: OwnerOfFlight(owner, named: "screen"), reason: reason, policy: reason.policy)
    }
    guard case .boards(.begins(let first, _), _) = state.ask(request(.appear), nil), first.begin(in: nil),
      case .boards(.follows(let second, _), _) = state.ask(request(.pull), nil), case .now = state.land(first)
    else {
      Issue.record("nothing follows")
      return
    }
    _ = state.landed(first)
    #expect(first.phase == .landed && second.parking?.stage == .granted)
  }

  /// Fails if: the load or `apply` runs inside the call, where its caller's lock is taken.
  @Test func nothingRunsInsideTheCall() async throws {
    let lock = Lock(0)
    let done = Gate()
    let reloader = Reloader<Trigger, Int> { _ in
      lock.withLock { $0 += 1 }
      return 7
    } apply: { _ in
      lock.withLock { $0 += 1 }
      done.open()
    }
    lock.withLock { _ in reloader.request(.appear) }
    await done.pass()
    #expect(lock.withLock { $0 } == 2)
  }

  /// A request from inside `apply` finds a load that has just landed: good enough to join.
  ///
  /// Fails if: joining from there begins a load. (Under the lock `apply` cannot be called: it has to be awaited.)
  @Test func applyMayAskForMore() async throws {
    let screen = Lock<Reloader<Trigger, Int>?>(nil)
    let applied = Log<Int>()
    let reloader = Reloader<Trigger, Int> { _ in
      applied.entries.count + 1
    } apply: { value in
      applied(value)
      screen.withLock { $0 }?.request(value < 3 ? .pull : .appear)
    }
    screen.withLock { $0 = reloader }
    reloader.request(.appear)
    try await until { applied.entries.count == 3 && reloader.snapshot.running == 0 }
    #expect(applied.entries == [1, 2, 3])
    screen.withLock { $0 = nil }
  }
}
