import SerialTasks
import TestWatch
import Testing

private actor Passing {
  /// An actor between the job and the call that would hang.
  func on(_ body: @Sendable () async throws -> Void) async throws { try await body() }
}

/// A job that waits for its own executor is rejected, however it came there, and no other job is.
@Suite(.watched) struct SelfDeadlockTests {
  let executor = SerialTaskExecutor(name: "notes")

  private nonisolated(nonsending) func expectCycle(
    _ path: [String] = ["notes", "notes"], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async {
    let error = await #expect(throws: JobRejection.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error == .deadlock(DeadlockError(path: path)), sourceLocation: sourceLocation)
  }

  /// Fails if: the marker is not looked at before the wait.
  @Test func inTheSameTask() async throws {
    await expectCycle { try await executor.enqueue { try await executor.enqueue {} } }
    #expect(try await executor.enqueue { 1 } == 1)
  }

  @Test func inASubmittedJob() async throws {
    await expectCycle { try await executor.submit { try await executor.enqueue {} }.value }
  }

  @Test func throughActorsAndFunctions() async throws {
    @Sendable func deeper(_ depth: Int) async throws {
      if depth == 0 { return try await executor.enqueue {} }
      try await Passing().on { try await deeper(depth - 1) }
    }
    await expectCycle { try await executor.enqueue { try await deeper(5) } }
  }

  @Test @MainActor func fromTheMainActor() async throws {
    await expectCycle { try await executor.enqueue { try await executor.enqueue {} } }
  }

  /// Fails if: only the very task that runs the job is taken for being inside.
  @Test(.enabled(if: childrenAreCertain)) func inChildTasks() async throws {
    await expectCycle {
      try await executor.enqueue {
        async let child: Void = executor.enqueue {}
        try await child
      }
    }
    await expectCycle {
      try await executor.enqueue {
        try await withThrowingTaskGroup { group in
          group.addTask { try await executor.enqueue {} }
          try await group.waitForAll()
        }
      }
    }
    await expectCycle {
      try await executor.enqueue {
        try await withThrowingTaskGroup { group in
          group.addTask {
            async let grandchild: Void = executor.submit {}.value
            try await grandchild
          }
          try await group.waitForAll()
        }
      }
    }
  }

  /// An unstructured task that a job starts is a stranger: it waits for its turn, and has it.
  ///
  /// Fails if: the marker alone, which is copied into such a task, is taken for certain.
  @Test func anUnstructuredTaskQueues() async throws {
    let log = Log<String>()
    let tasks = try await executor.enqueue {
      let tasks = [
        Task { try await executor.enqueue { log("Task") } },
        Task.immediate { try await executor.enqueue { log("immediate") } },
        Task {
          async let child: Void = executor.enqueue { log("child of a Task") }
          try await child
        },
        Task.detached { try await executor.enqueue { log("detached") } },
      ]
      executor.submit { log("submitted") }
      await Task.yield()
      log("job")
      return tasks
    }
    for task in tasks { try await task.value }
    try await executor.drain()
    #expect(log.entries.first == "job")
    #expect(Set(log.entries).count == 6)
  }

  /// A marker that outlives its job counts for nothing, though the job's executor runs another job by then.
  @Test func aMarkerThatOutlivesItsJobCountsForNothing() async throws {
    let gate = Gate()
    let task = try await executor.enqueue {
      Task {
        await gate.pass()
        #expect(!executor.isInJob)
        return try await executor.enqueue { executor.isInJob }
      }
    }
    let held = await Held(executor)
    gate.open()
    try await until { executor.snapshot.waiting > 0 }
    try await held.release()
    #expect(try await task.value)
  }

  /// Fails if: waiting for a job that stands behind the one that waits hangs.
  @Test func theValueOfAJobThatStandsBehind() async throws {
    await expectCycle {
      try await executor.enqueue {
        let behind = executor.submit {}
        try await behind.value
      }
    }
    await expectCycle {
      try await executor.enqueue {
        let behind = executor.submit {}
        _ = try await behind.result.get()
      }
    }
    try await executor.drain()
  }

  @Test func itsOwnValue() async throws {
    let own = Log<SubmittedJob<Void>>()
    let gate = Gate()
    let job = executor.submit {
      await gate.pass()
      try await own.entries[0].value
    }
    own(job)
    gate.open()
    await expectCycle { try await job.value }
  }

  /// The value of a job that has ended is no wait.
  @Test func theValueOfAJobThatHasEnded() async throws {
    let done = executor.submit { 7 }
    _ = try await done.value
    #expect(try await executor.enqueue { try await done.value } == 7)
  }

  /// A rejected job stands behind no other, also while its rejection is still being reported.
  ///
  /// Fails if: any job of the line that is not settled is taken for one that waits in it.
  @Test func theValueOfAJobThatIsJustBeingCancelled() async throws {
    let log = Log<String>()
    try await executor.enqueue {
      let behind = executor.submit {}
      let asker = Log<Task<Void, Never>>()
      behind.whenComplete { _ in
        // The job is rejected, and those who await its value do not know yet.
        asker(
          Task.immediate {
            do { try await behind.value } catch { log("\(error)") }
          })
      }
      behind.cancel()
      for task in asker.entries { await task.value }
      do { try await behind.value } catch { log("\(error)") }
    }
    #expect(log.entries == ["CancellationError()", "CancellationError()"])
  }

  @Test func drainFromInsideAJob() async throws {
    await expectCycle { try await executor.enqueue { try await executor.drain() } }
  }

  /// Two executors in one task: the path names both, and taking a second one is no cycle.
  ///
  /// Fails if: the markers around the innermost are forgotten.
  @Test func aCycleOfTwoNamesBoth() async throws {
    let audit = SerialTaskExecutor(name: "audit")
    await expectCycle(["notes", "audit", "notes"]) {
      try await executor.enqueue { try await audit.enqueue { try await executor.enqueue {} } }
    }
    #expect(try await executor.enqueue { try await audit.enqueue { 1 } } == 1)
  }

  /// The rejection is the inner call's: the job may catch it and go on.
  @Test func theVictimMayGoOn() async throws {
    let result = try await executor.enqueue {
      do { return try await executor.enqueue { "inner" } } catch JobRejection.deadlock { return "went on" }
    }
    #expect(result == "went on")
  }

  @Test func anUnnamedExecutorReadsAsItsTypeAndAShortId() async throws {
    let unnamed = SerialTaskExecutor()
    do { try await unnamed.enqueue { try await unnamed.enqueue {} } } catch JobRejection.deadlock(let deadlock) {
      #expect(deadlock.path.count == 2)
      #expect(deadlock.path.allSatisfy { $0.hasPrefix("SerialTaskExecutor#") })
    }
  }

  @Test func isInJobSaysSo() async throws {
    #expect(!executor.isInJob)
    try await executor.enqueue {
      #expect(executor.isInJob)
      executor.preconditionInJob()
      #expect(await Task { executor.isInJob }.value == false)
    }
    #expect(try await executor.submit { executor.isInJob }.value)
    #expect(!executor.isInJob)
  }
}
