import CoalescingTasks

/// A reason of each policy.
enum Trigger: ReloadReason, Hashable, CaseIterable {
  case appear, pull, change

  var policy: ReloadPolicy {
    switch self {
    case .appear: .join
    case .pull: .rerun
    case .change: .supersede
    }
  }

  init(_ policy: ReloadPolicy) { self = Trigger.allCases.first { $0.policy == policy }! }
}

/// A screen whose loads go on when the test says so; the first returns 1, the second 2.
final class LoadedScreen: Sendable {
  /// What the loads of a screen ask, one gate each.
  final class Source: Sendable {
    private let gates = (1...20).map { _ in Gate() }
    private let calls = Lock(0)
    let reasons = Log<Trigger>()
    let cancelled = Log<Int>()
    let failing: Set<Int>

    init(failing: Set<Int>) { self.failing = failing }

    func gate(_ load: Int) -> Gate { gates[load - 1] }

    func load(_ reason: Trigger) async throws -> Int {
      reasons(reason)
      let load = calls.withLock {
        $0 += 1
        return $0
      }
      await gate(load).pass()
      if Task.isCancelled { cancelled(load) }
      if failing.contains(load) { throw BackendError(call: load) }
      return load
    }
  }

  let source: Source
  let applied: Log<Int>
  let reloader: Reloader<Trigger, Int>

  init(failing: Set<Int> = [], onEvent: (@Sendable (TaskEvent) -> Void)? = nil) {
    let source = Source(failing: failing)
    let applied = Log<Int>()
    self.source = source
    self.applied = applied
    reloader = Reloader(name: "screen", load: { try await source.load($0) }, apply: { applied($0) }, onEvent: onEvent)
  }

  var loads: Int { source.reasons.entries.count }

  /// Lets the load return, now or when it comes so far.
  func open(_ load: Int) { source.gate(load).open() }

  func openAll() { for load in 1...20 { open(load) } }

  /// Returns when the load runs.
  func began(_ load: Int) async { await source.gate(load).arrived() }

  /// Asks in a task of its own, which waits for its load when this returns: `Task.immediate` runs to the first suspension.
  func asking(_ trigger: Trigger, priority: TaskPriority? = nil) -> Task<Int, any Error> {
    Task.immediate(priority: priority) { [reloader] in try await reloader.reload(trigger) }
  }

  /// Asks, and returns when the load that this begins runs; the first of all of them.
  func beginning(_ trigger: Trigger) async -> Task<Int, any Error> {
    let task = asking(trigger)
    await began(1)
    return task
  }

  /// Returns when nothing loads and nothing lands any more.
  func settled() async throws { try await until { reloader.snapshot.running == 0 } }
}
