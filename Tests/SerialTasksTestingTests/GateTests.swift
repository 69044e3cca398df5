import SerialTasksTesting
import TestWatch
import Testing

@Suite(.watched) struct GateTests {
  let gate = Gate()

  /// Fails if: a closed gate lets a task pass, also one that is cancelled, or an open one holds it.
  @Test func itHoldsUntilItIsOpened() async {
    let log = Log<String>()
    let task = Task.immediate {
      await gate.pass()
      log("passed")
    }
    await gate.waitForArrivals()
    task.cancel()
    log("opening")
    #expect(!gate.isOpen)
    gate.open()
    await task.value
    await gate.pass()
    #expect(log.entries == ["opening", "passed"])
    #expect(gate.isOpen && gate.arrivals == 2)
  }

  /// Fails if: `arrived` returns with too few tasks, or counts only tasks that are held.
  @Test func itCountsArrivals() async {
    let log = Log<Int>()
    let watchers = (1...2).map { count in
      Task.immediate {
        await gate.waitForArrivals(count)
        log(gate.arrivals)
      }
    }
    let first = Task.immediate { await gate.pass() }
    await watchers[0].value
    #expect(log.entries == [1])
    let second = Task.immediate { await gate.pass() }
    await watchers[1].value
    #expect(log.entries == [1, 2])
    gate.open()
    for task in [first, second] { await task.value }
    await gate.waitForArrivals(2)
    gate.open()
    #expect(gate.arrivals == 2)
  }

  /// Fails if: a task that is cancelled while it is held, or before it arrives, is not released; or an open gate holds one.
  @Test func aCancelledTaskLeaves() async throws {
    let held = Task.immediate { try await gate.passUnlessCancelled() }
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await gate.passUnlessCancelled()
    }
    let patient = Task.immediate { try await gate.passUnlessCancelled() }
    await #expect(throws: CancellationError.self) { try await late.value }
    held.cancel()
    await #expect(throws: CancellationError.self) { try await held.value }
    gate.open()
    try await patient.value
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await gate.passUnlessCancelled()
    }.value
    #expect(gate.arrivals == 4)
  }

  /// Fails if: a call does not return in its caller's isolation.
  @Test @MainActor func itStaysInTheIsolationOfItsCaller() async throws {
    var passed = 0
    let task = Task { @MainActor in
      await gate.pass()
      passed += 1
      try await gate.passUnlessCancelled()
      MainActor.assertIsolated()
    }
    await gate.waitForArrivals()
    MainActor.assertIsolated()
    gate.open()
    try await task.value
    #expect(passed == 1)
  }

  /// A thousand tasks arrive, leave and are released at the same time.
  ///
  /// Fails if: one is lost, which hangs.
  @Test func noneIsLost() async {
    for _ in 0..<20 {
      let gate = Gate()
      let left = Log<Int>()
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<50 {
          group.addTask {
            let task = Task { try await gate.passUnlessCancelled() }
            if index.isMultiple(of: 2) { task.cancel() }
            if case .failure = await task.result { left(index) }
          }
        }
        group.addTask {
          await gate.waitForArrivals(25)
          gate.open()
        }
        await group.waitForAll()
      }
      #expect(left.entries.count <= 25)
      #expect(gate.arrivals == 50)
    }
  }
}
