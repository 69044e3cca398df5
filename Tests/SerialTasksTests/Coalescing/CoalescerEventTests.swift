import SerialTasks
import Testing

/// What is reported to `onEvent` of flights and their callers, and what a snapshot says.
@Suite(.watched) struct CoalescerEventTests {
  let backend = Backend()
  let log = EventLog()
  let coalescer: TaskCoalescer<Int, Int>

  init() {
    let log = log
    coalescer = TaskCoalescer(name: "profiles") { log($0) }
  }

  private var reported: [String] { log.entries.map(\.description) }

  @Test func aFlightIsReportedFromItsBeginningToItsEnd() async throws {
    let leader = asking(coalescer, name: "first") { await backend.fetch() }
    let joiner = asking(coalescer, name: "second") { -1 }
    backend.gate.open()
    _ = (try await leader.value, try await joiner.value)
    coalescer.prefetch(7, expiresAfter: .seconds(3_600), name: "early") { 7 }
    _ = try await coalescer.value(for: 7, name: "third") { -1 }
    _ = try? await coalescer.value(for: 7, name: "bad") { throw BackendError(call: 0) }
    #expect(
      reported == [
        "profiles[7]: first began", "profiles[7]: second was joined", "profiles[7]: first finished",
        "profiles[7]: early began",
        "profiles[7]: early finished", "profiles[7]: third was given a prefetched result", "profiles[7]: bad began",
        "profiles[7]: bad failed: BackendError(call: 0)",
      ])
  }

  /// Events of one flight have one number, those of two flights of a key that fly at the same time have two.
  @Test func flightsAreToldApart() async throws {
    let calls = (1...2).map { _ in asking(coalescer) { await backend.fetch() } }
    coalescer.invalidate(7)
    let other = asking(coalescer) { await backend.fetch() }
    backend.gate.open()
    for call in calls + [other] { _ = try await call.value }
    let places = log.entries.map(\.place)
    #expect(places[0] != nil && places[0] == places[1])
    #expect(places[2] != places[0])
    #expect(Set(places).count == 2)
    #expect(places.count == 5)
  }

  /// Fails if: a caller that leaves is not reported, or twice, or its leaving is taken for the end of the flight.
  @Test func eachCallerThatLeavesIsReportedOnce() async throws {
    let leaves = asking(coalescer, name: "leaves") { await backend.fetch() }
    let withdrawn = asking(coalescer, name: "withdrawn") { -1 }
    leaves.cancel()
    coalescer.cancel(7)
    withdrawn.cancel()
    _ = (await leaves.result, await withdrawn.result)
    let left = log.entries.compactMap { event -> String? in
      guard case .left(let why) = event.kind else { return nil }
      return "\(event.job ?? "") left \(event.place ?? 0): \(why)"
    }
    #expect(
      left.sorted() == ["leaves left 1: \(JobRejection.cancelled)", "withdrawn left 1: \(JobRejection.withdrawn)"])
    backend.gate.open()
    try await log.first { $0.isEnd && $0.place == 1 }
  }

  /// Fails if: a caller that is rejected is not reported, or twice, or as if it had had a place.
  @Test func eachRejectedCallerIsReportedOnce() async throws {
    let gate = Gate()
    let late = Task {
      await gate.pass()
      return try await coalescer.value(for: 7, name: "late") { -1 }
    }
    late.cancel()
    gate.open()
    _ = await late.result
    _ = try? await coalescer.value(for: 8, name: "outer") { try await coalescer.value(for: 8, name: "inner") { -1 } }
    let rejected = log.entries.compactMap { event -> String? in
      guard case .rejected(let why) = event.kind else { return nil }
      return "\(event.job ?? "") \(why)\(event.place == nil ? "" : " at a place")"
    }
    #expect(rejected.count == 2 && rejected[0] == "late \(JobRejection.cancelled)")
    #expect(rejected[1].hasPrefix("inner Deadlock: profiles[8] → profiles[8]. "))
  }

  /// `onEvent` is called outside every lock: it may call the coalescer.
  ///
  /// Fails if: an event is reported under the lock. (Then this hangs or traps.)
  @Test func onEventMayCallTheCoalescer() async throws {
    let own = Log<TaskCoalescer<Int, Int>>()
    let seen = Log<CoalescerSnapshot>()
    let coalescer = TaskCoalescer<Int, Int> { _ in for coalescer in own.entries { seen(coalescer.snapshot) } }
    own(coalescer)
    let calls = (1...3).map { _ in asking(coalescer) { await backend.fetch() } }
    calls[0].cancel()
    backend.gate.open()
    for call in calls { _ = await call.result }
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { 7 }
    _ = try await coalescer.value(for: 7) { -1 }
    let last = asking(coalescer) { await backend.fetch() }
    coalescer.cancelAll()
    _ = await last.result
    #expect(seen.entries.count >= 8)
  }

  @Test func aSnapshotCountsFlightsCallersAndWhatIsKept() async throws {
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
    coalescer.prefetch(1, expiresAfter: .seconds(3_600)) { 1 }
    coalescer.prefetch(2, expiresAfter: .seconds(3_600)) { await backend.fetch() }
    let calls = (3...5).map { key in asking(coalescer, min(key, 4)) { await backend.fetch() } }
    coalescer.invalidate(3)
    let snapshot = coalescer.snapshot
    #expect((snapshot.running, snapshot.waiting, snapshot.stored) == (3, 3, 1))
    backend.gate.open()
    for call in calls { _ = try await call.value }
    try await until { coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 2) }
  }
}

extension TaskEvent {
  fileprivate var isEnd: Bool {
    switch kind {
    case .finished, .failed, .rejected: true
    default: false
    }
  }
}
