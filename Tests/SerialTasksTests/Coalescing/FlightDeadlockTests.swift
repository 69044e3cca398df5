import SerialTasks
import TestWatch
import Testing

/// An operation that waits for its own flight is rejected, however it came there, and no other caller is.
@Suite(.watched) struct FlightDeadlockTests {
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")
  let executor = SerialTaskExecutor(name: "notes")

  private nonisolated(nonsending) func expectCycle(
    _ path: [String] = ["profiles[7]", "profiles[7]"], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Int
  ) async {
    let error = await #expect(throws: JobRejection.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error == .deadlock(DeadlockError(path: path)), sourceLocation: sourceLocation)
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0), sourceLocation: sourceLocation)
  }

  /// Fails if: the marker is not looked at before joining. (Then this runs into its time limit.)
  @Test func itsOwnKey() async throws {
    await expectCycle { try await coalescer.value(for: 7) { try await coalescer.value(for: 7) { 1 } } }
    #expect(try await coalescer.answer(for: 7) { 1 } == .led(1))
  }

  @Test @MainActor func onTheMainActor() async throws {
    await expectCycle { try await coalescer.value(for: 7) { try await coalescer.value(for: 7) { 1 } } }
  }

  /// Fails if: only the very task that runs the operation is taken for being inside.
  @Test(.enabled(if: childrenAreCertain)) func inChildTasks() async throws {
    await expectCycle {
      try await coalescer.value(for: 7) {
        async let child = coalescer.value(for: 7) { 1 }
        return try await child
      }
    }
    await expectCycle {
      try await coalescer.value(for: 7) {
        try await withThrowingTaskGroup { group in
          group.addTask { try await coalescer.value(for: 7) { 1 } }
          return try await group.next()!
        }
      }
    }
    await expectCycle {
      try await coalescer.value(for: 7) {
        try await withThrowingTaskGroup { group in
          group.addTask {
            async let grandchild = coalescer.value(for: 7) { 1 }
            return try await grandchild
          }
          return try await group.next()!
        }
      }
    }
  }

  /// Other keys are other flights.
  @Test func anOperationMayAskForOtherKeys() async throws {
    let answer = try await coalescer.value(for: 7) {
      let eight = try await coalescer.value(for: 8) { try await coalescer.value(for: 9) { 9 } }
      return eight + 1
    }
    #expect(answer == 10)
  }

  /// One flight leads another in an operation of its own: its task is not its leader's.
  ///
  /// A flight holds its leader's job up, but it is no child task; the wait of the one for the other is not known here.
  /// A job inside an operation is its child, and is known.
  ///
  /// Fails if: the markers around the innermost are forgotten.
  @Test func throughAJobOfAnExecutor() async throws {
    await expectCycle(["profiles[7]", "notes", "profiles[7]"]) {
      try await coalescer.value(for: 7) { try await executor.enqueue { try await coalescer.value(for: 7) { 1 } } }
    }
    #expect(try await executor.enqueue { 1 } == 1)
  }

  /// A prefetch has a key of its own, too; no caller waits for the error.
  @Test func aPrefetchsOwnKey() async throws {
    let rejections = Log<JobRejection>()
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) {
      do { return try await coalescer.value(for: 7) { 1 } } catch let rejection as JobRejection {
        rejections(rejection)
        throw rejection
      }
    }
    #expect(rejections.entries == [.deadlock(DeadlockError(path: ["profiles[7]", "profiles[7]"]))])
    #expect(coalescer.shelved == 0)
  }

  /// Nothing is waited for: a prefetch of the own key does nothing, and the flight goes on.
  @Test func prefetchingTheOwnKey() async throws {
    let answer = try await coalescer.answer(for: 7) {
      coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { -1 }
      return 1
    }
    #expect(answer == .led(1))
    #expect(coalescer.shelved == 0)
  }

  /// An unstructured task that an operation starts is a stranger: it joins.
  ///
  /// Fails if: the marker alone, which is copied into such a task, is taken for certain.
  @Test func anUnstructuredTaskJoins() async throws {
    let tasks = Log<Task<CoalescedAnswer<Int>, any Error>>()
    let gate = Gate()
    let leader = asking(coalescer) {
      tasks(asking(coalescer) { -1 })
      tasks(Task { try await coalescer.answer(for: 7) { -1 } })
      await gate.pass()
      return 1
    }
    try await coalescer.waits(for: 3)
    gate.open()
    #expect(try await leader.value == .led(1))
    for task in tasks.entries { #expect(try await task.value == .joined(1)) }
  }

  /// What the operation would join is not its own flight any more, so there is nothing to wait for in a circle.
  @Test func afterInvalidatingItsOwnKey() async throws {
    let answer = try await coalescer.value(for: 7) {
      coalescer.invalidate(7)
      return 1 + (try await coalescer.value(for: 7) { 1 })
    }
    #expect(answer == 2)
  }

  /// Fails if: the join window is not asked before the rejection.
  @Test func afterTheJoinWindowOfItsOwnFlight() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Int, Int>(name: "profiles", joinWindow: .seconds(1), clock: clock)
    let answer = try await coalescer.value(for: 7) {
      clock.advance(by: .seconds(2))
      return 1 + (try await coalescer.value(for: 7) { 1 })
    }
    #expect(answer == 2)
  }

  /// The rejection is the inner call's: the operation may catch it and go on, and who joined gets what it returns.
  @Test func theVictimMayGoOn() async throws {
    let answer = try await coalescer.value(for: 7) {
      do { return try await coalescer.value(for: 7) { 1 } } catch JobRejection.deadlock { return 2 }
    }
    #expect(answer == 2)
  }

  /// Fails if: two coalescers without a name cannot be distinguished.
  @Test func anUnnamedCoalescerReadsAsItsTypeAndAShortID() async throws {
    let unnamed = TaskCoalescer<Int, Int>()
    let error = await #expect(throws: JobRejection.self) {
      try await unnamed.value(for: 7) { try await unnamed.value(for: 7) { 1 } }
    }
    guard case .deadlock(let deadlock) = error else {
      Issue.record("no deadlock: \(String(describing: error))")
      return
    }
    #expect(deadlock.path.count == 2 && deadlock.path[0] == deadlock.path[1])
    #expect(deadlock.path[0].hasPrefix("TaskCoalescer<Int, Int>#") && deadlock.path[0].hasSuffix("[7]"))
  }
}
