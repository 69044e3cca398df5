import CoalescingTasks
import Testing

private enum Request {
  @TaskLocal static var id = 0
}

private struct Page: ReloadReason, CustomStringConvertible {
  let number: Int
  var policy: ReloadPolicy { .rerun }
  var description: String { "page \(number)" }
}

/// What a reloader reports, what its loads inherit, and what it leaves behind.
@Suite(.watched) struct ReloadEventTests {
  let log = Log<String>()

  private func makeScreen(failing: Set<Int> = []) -> LoadedScreen {
    LoadedScreen(failing: failing) { [log] event in log("\(event) at \(event.place ?? 0)") }
  }

  /// Returns what was reported, when it is this much.
  private func reported(_ count: Int) async throws -> [String] {
    try await until { log.entries.count >= count }
    return log.entries
  }

  /// Fails if: a load that follows another, for the newest of several reasons, is reported to begin or end for an older one.
  @Test func aLoadOfSeveralReasonsIsReportedWithTheNewest() async throws {
    let gate = Gate()
    let reloader = Reloader<Page, Int>(
      name: "list",
      load: { page in
        await gate.pass()
        return page.number
      }, apply: { _ in }, onEvent: { [log] in log("\($0)") })
    let first = Task.immediate { try await reloader.reload(Page(number: 1)) }
    await gate.arrived()
    let followers = [2, 3].map { number in Task.immediate { try await reloader.reload(Page(number: number)) } }
    gate.open()
    #expect(try await first.value == 1)
    for follower in followers { #expect(try await follower.value == 3) }
    #expect(
      try await reported(6) == [
        "list: page 1 began", "list: page 2 waits", "list: page 3 was joined", "list: page 1 finished",
        "list: page 3 began", "list: page 3 finished",
      ])
  }

  /// Fails if: a caller that joins or leaves is not reported, or its leaving is reported as the end of the load.
  @Test func aCallerIsReportedWhenItJoinsAndWhenItLeaves() async throws {
    let screen = makeScreen()
    let first = await screen.beginning(.appear)
    let joiner = screen.asking(.appear)
    joiner.cancel()
    _ = await joiner.result
    screen.openAll()
    #expect(try await first.value == 1)
    #expect(
      try await reported(4) == [
        "screen: appear began at 1", "screen: appear was joined at 1",
        "screen: a caller of appear left: \(JobRejection.cancelled) at 1", "screen: appear finished at 1",
      ])
  }

  /// Fails if: a superseded load has no end, or two.
  @Test func aSupersededLoadHasOneEnd() async throws {
    let screen = makeScreen()
    let first = await screen.beginning(.pull)
    let newest = screen.asking(.change)
    await screen.began(2)
    screen.open(1)
    try await until { screen.source.cancelled.entries == [1] && log.entries.count == 3 }
    screen.open(2)
    for caller in [first, newest] { #expect(try await caller.value == 2) }
    #expect(
      try await reported(4) == [
        "screen: pull began at 1", "screen: change began at 2", "screen: pull finished at 1",
        "screen: change finished at 2",
      ])
  }

  /// Fails if: a load that follows another has that one's task-locals, or is given its leader's too late.
  @Test func aLoadHasTheTaskLocalsOfItsCaller() async throws {
    let (gate, begun) = (Gate(), Log<Int>())
    let reloader = Reloader<Trigger, Int> { _ in
      begun(Request.id)
      await gate.pass()
      return Request.id
    } apply: { _ in
    }
    let first = Request.$id.withValue(1) { Task.immediate { try await reloader.reload(.appear) } }
    await gate.arrived()
    let second = Request.$id.withValue(2) { Task.immediate { try await reloader.reload(.pull) } }
    gate.open()
    #expect(try await first.value == 1)
    #expect(try await second.value == 2)
    #expect(begun.entries == [1, 2])
  }

  /// Fails if: a joiner, or a caller that is carried over, does not raise the load.
  @Test(arguments: [Trigger.appear, .change]) func anUrgentCallerRaisesTheLoad(second: Trigger) async throws {
    let (gates, seen) = ([Gate(), Gate()], Log<TaskPriority>())
    let loads = Lock(0)
    let reloader = Reloader<Trigger, Int> { _ in
      let load = loads.withLock {
        $0 += 1
        return $0
      }
      await gates[load - 1].pass()
      if !Task.isCancelled { seen(Task.currentPriority) }
      return load
    } apply: { _ in
    }
    let urgent = second == .change
    let first = Task.immediate(priority: urgent ? .high : .background) { try await reloader.reload(.appear) }
    await gates[0].arrived()
    let other = Task.immediate(priority: urgent ? .background : .high) { try await reloader.reload(second) }
    if urgent { await gates[1].arrived() }
    for gate in gates { gate.open() }
    _ = (try await first.value, try await other.value)
    #expect(seen.entries.allSatisfy { $0 >= .high })
    #expect(seen.entries.count == 1)
  }

  /// An urgent caller waits for both, the load that runs and its own.
  ///
  /// Fails if: a caller of the load that follows, or one that merges into it, does not raise the one that runs.
  @Test(arguments: [false, true]) func anUrgentFollowerRaisesWhatItWaitsBehind(merges: Bool) async throws {
    let (gate, seen) = (Gate(), Log<TaskPriority>())
    let reloader = Reloader<Trigger, Int> { _ in
      await gate.pass()
      seen(Task.currentPriority)
      return 1
    } apply: { _ in
    }
    func asking(_ trigger: Trigger, _ priority: TaskPriority) -> Task<Int, any Error> {
      Task.immediate(priority: priority) { try await reloader.reload(trigger) }
    }
    var callers = [asking(.appear, .background)]
    await gate.arrived()
    if merges { callers.append(asking(.pull, .background)) }
    callers.append(asking(.pull, .high))
    gate.open()
    for caller in callers { _ = try await caller.value }
    #expect(seen.entries.count == 2)
    #expect(seen.entries.allSatisfy { $0 >= .high })
  }

  /// Fails if: a reloader, its closures, or its loads are kept by anything once nothing loads.
  @Test func nothingIsLeft() async throws {
    final class Token: Sendable {}
    weak var token: Token?
    weak var reloader: Reloader<Trigger, Int>?
    do {
      let (held, gate) = (Token(), Gate())
      let made = Reloader<Trigger, Int> { _ in
        await gate.pass()
        return held === held ? 1 : 0
      } apply: { _ in
        _ = held
      }
      (token, reloader) = (held, made)
      made.request(.appear)
      await gate.arrived()
      let callers = [made, made].map { made in Task.immediate { try await made.reload(.pull) } }
      made.request(.change)
      made.request(.pull)
      callers[0].cancel()
      gate.open()
      _ = await callers[0].result
      #expect(try await callers[1].value == 1)
    }
    try await until { token == nil && reloader == nil }
  }
}
