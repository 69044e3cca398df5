import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// A screen that is left for good.
@Suite(.watched) struct ReloadEndTests {
  enum Reason: ReloadReason {
    case join, follow
    var policy: ReloadPolicy { self == .join ? .join : .rerun }
  }

  /// ```
  /// first    ├──────────────┤ lands
  /// second   ├─ waits ──────┤───── lands
  ///            close()   request: nothing
  /// ```
  /// Fails if: what was requested before does not load, what is requested after does, or it is not reported.
  @Test func whatWasRequestedBeforeLoads() async throws {
    let (gate, events, shown) = (Gate(), EventLog(), Log<Reason>())
    let loader = Reloader<Reason, Reason>(
      load: { reason in
        await gate.pass()
        return reason
      }, apply: { shown($0) }, onEvent: events.handler)
    let first = Task.immediate { try await loader.reload(.join) }
    let second = Task.immediate { try await loader.reload(.follow) }
    try await until { loader.state.withLock { $0.trailing?.parking?.suspension != nil } }
    loader.close()
    loader.close()
    loader.request(.follow)
    let isReported = if case .rejected(.closed)? = events.entries.last?.kind { true } else { false }
    #expect(isReported)
    #expect(loader.snapshot.isClosed)
    gate.open()
    #expect(try await first.value == .join)
    #expect(try await second.value == .follow)
    try await loader.drain()
    #expect(shown.entries == [.join, .follow])
    #expect(events.entries.count { if case .began = $0.kind { true } else { false } } == 2)
  }

  /// Fails if: a load that asks its closed reloader is told of a deadlock, or hangs.
  @Test func aLoadAsksItsClosedReloader() async throws {
    let box = Log<Reloader<Reason, Int>>()
    let loader = Reloader<Reason, Int>(
      load: { _ in
        box.entries[0].close()
        box.entries[0].request(.follow)
        return 1
      }, apply: { _ in })
    box(loader)
    #expect(try await loader.reload(.join) == 1)
    try await loader.drain()
  }
}
