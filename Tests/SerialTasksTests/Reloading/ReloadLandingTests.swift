import CoalescingTasks
import Foundation
import Testing

@globalActor private actor Stage { static let shared = Stage() }

/// When results are applied, where, and which never are.
@Suite(.watched) struct ReloadLandingTests {
  /// Callers find applied what they get; these are not on `apply`'s actor, and so could go on beside it.
  ///
  /// Fails if: callers are resumed before `apply` has returned.
  @Test func callersGoOnAfterTheResultWasApplied() async throws {
    let (gate, applied) = (Gate(), Log<Int>())
    let hasGoneOn = DispatchSemaphore(value: 0)
    let reloader = Reloader<Trigger, Int> { _ in
      await gate.pass()
      return 7
    } apply: { @MainActor value in
      // No task is to go on; one that does gets the time for it.
      #expect(hasGoneOn.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
      applied(value)
    }
    let callers = (0..<2).map { _ in
      Task.immediate {
        _ = try await reloader.reload(.appear)
        hasGoneOn.signal()
        return applied.entries
      }
    }
    gate.open()
    for caller in callers { #expect(try await caller.value == [7]) }
  }

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

  /// The load has returned and waits for the actor on which it is to be applied; a call on that actor decides otherwise.
  ///
  /// ```
  /// load 1       ├─ returns ─ waits for the main actor ─┤ goes nowhere
  /// main actor   ├─ held ──────── change! ─┤ … 2
  /// ```
  /// Fails if: it is decided before the hop to `apply`'s isolation whether a result lands.
  @Test(arguments: [false, true]) func nothingLandsBehindTheBackOfApplysActor(cancels: Bool) async throws {
    let (applied, returned) = (Log<Int>(), Log<Int>())
    let loads = Lock(0)
    let reloader = Reloader<Trigger, Int> { _ in
      loads.withLock {
        $0 += 1
        return $0
      }
    } apply: { @MainActor value in
      applied(value)
    } onEvent: { event in
      if case .finished = event.kind { returned(1) }
    }
    // The main thread is held, and none of the pool's.
    await MainActor.run {
      reloader.request(.appear)
      Cores.spin(while: returned.entries.isEmpty)
      // It needs the main actor now, or will in a moment: long enough to come there.
      usleep(1_000)
      #expect(reloader.snapshot.running == 1)
      if cancels { reloader.cancel() } else { reloader.request(.change) }
      #expect(applied.entries.isEmpty)
    }
    if cancels { reloader.request(.appear) }
    try await until { !applied.entries.isEmpty && reloader.snapshot.running == 0 }
    #expect(applied.entries == [2])
  }

  /// An `apply` that can be in the middle of it when a caller asks; on the main actor, to hold no thread of the pool.
  private final class SlowApply: Sendable {
    let isInside = Gate()
    let mayEnd = DispatchSemaphore(value: 0)
    let log = Log<Int>()

    @MainActor func callAsFunction(_ value: Int) {
      if value == 1 {
        isInside.open()
        mayEnd.wait()
      }
      log(value)
    }
  }

  /// The state alone: no schedule comes between what a task is told and its parking.
  ///
  /// Fails if: a load that followed another parks for ever, or one that has landed does not count as over.
  @Test func aLoadMayBeginBeforeItsTaskHasParked() {
    final class Owner {}
    let owner = Owner()
    var state = ReloaderState<Trigger, Int>()
    func request(_ reason: Trigger) -> ReloadRequest<Trigger> {
      ReloadRequest(owner: ObjectIdentifier(owner), reloader: "screen", reason: reason, policy: reason.policy)
    }
    guard case .begins(let first, _) = state.ask(request(.appear), nil), case .run = state.begin(first),
      case .follows(let second, _) = state.ask(request(.pull), nil), case .wait = state.begin(second),
      case .now = state.land(first)
    else {
      Issue.record("nothing follows")
      return
    }
    _ = state.landed(first)
    #expect(first.phase == .landed && second.parking?.state == .granted)
  }

  /// ```
  /// load 1   ├──── applying … ─────────── 1 ┤
  /// asked                  ├ … ┤
  /// ```
  /// Nothing overtakes it here, where `apply` has an actor; where it has none, the explorer looks.
  ///
  /// Fails if: what is just being applied is superseded, or cannot be joined.
  @Test(arguments: Trigger.allCases) func whileAResultIsBeingApplied(trigger: Trigger) async throws {
    let (apply, loads) = (SlowApply(), Log<Int>())
    let reloader = Reloader<Trigger, Int> { _ in
      loads(0)
      return loads.entries.count
    } apply: { @MainActor in
      apply($0)
    }
    let first = Task.immediate { try await reloader.reload(.appear) }
    await apply.isInside.pass()
    let second = Task.immediate { try await reloader.reload(trigger) }
    if trigger == .change { try await until { loads.entries.count == 2 } }
    #expect(apply.log.entries.isEmpty)
    #expect(reloader.snapshot.waiting == 2)
    apply.mayEnd.signal()
    #expect(try await first.value == 1)
    #expect(try await second.value == (trigger == .appear ? 1 : 2))
    #expect(apply.log.entries == (trigger == .appear ? [1] : [1, 2]))
  }

  /// Fails if: `cancel()` takes from its callers what has landed already.
  @Test func cancellingWhileAResultIsBeingApplied() async throws {
    let apply = SlowApply()
    let reloader = Reloader<Trigger, Int>(load: { _ in 1 }, apply: { @MainActor in apply($0) })
    let first = Task.immediate { try await reloader.reload(.appear) }
    await apply.isInside.pass()
    let second = Task.immediate { try await reloader.reload(.pull) }
    reloader.cancel()
    await #expect(throws: JobRejection.withdrawn) { try await second.value }
    reloader.cancel()
    apply.mayEnd.signal()
    #expect(try await first.value == 1)
    #expect(apply.log.entries == [1])
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
