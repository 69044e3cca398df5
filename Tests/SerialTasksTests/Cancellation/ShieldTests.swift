#if compiler(>=6.4)
  import CoalescingTasks
  import SerialTasksTesting
  import Testing

  /// Calls that are made under a shield against cancellation (SE-0504): of a task that was cancelled before, or is while it waits.
  @Suite(.watched) struct ShieldTests {
    /// Runs the call under a shield, in a task that has been cancelled.
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    private func inACancelledTask(_ call: @escaping @Sendable () async throws -> Void) async throws {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await withTaskCancellationShield { try await call() }
        #expect(Task.isCancelled)
      }
      try await task.value
    }

    /// Admission.
    ///
    /// Fails if: a call that finds its executor free asks the task, not the shield, whether it is cancelled.
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    @Test(arguments: [nil, "named"]) func aShieldedCallIsAdmitted(_ name: String?) async throws {
      let (line, keyed) = (SerialTaskExecutor(), KeyedSerialTaskExecutor<Int>())
      let (notes, flights) = (CoalescingTaskExecutor<Int>(), TaskCoalescer<Int, Bool>())
      let sees = Log<Bool>()
      try await inACancelledTask {
        sees(try await line.enqueue(name: name) { Task.isCancelled })
        sees(try await line.enqueue(name: name, waitingAtMost: .zero) { Task.isCancelled })
        sees(try await keyed.enqueue(for: 1, name: name) { Task.isCancelled })
        sees(try await keyed.enqueue(touching: [1, 2], name: name) { Task.isCancelled })
        sees(try await notes.write(name: name) { Task.isCancelled })
        sees(try await notes.write(touching: [1], name: name) { Task.isCancelled })
        sees(try await notes.read(1, name: name) { Task.isCancelled })
        sees(try await flights.value(for: 1, name: name) { Task.isCancelled })
      }
      #expect(sees.entries == Array(repeating: false, count: 8))
    }

    /// Waiting.
    ///
    /// Fails if: a caller that waits under a shield leaves because its task is cancelled, or is rejected when its turn has come.
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    @Test func aShieldedCallerStaysInLine() async throws {
      let held = await Held()
      let caller = Task {
        try await withTaskCancellationShield { try await held.executor.enqueue { Task.isCancelled } }
      }
      try await held.executor.waitUntil(waiting: 1)
      caller.cancel()
      await othersHaveRun()
      #expect(held.executor.snapshot.waiting == 1)
      try await held.release()
      #expect(try await caller.value == false)
    }

    /// The way out: a limit on waiting.
    ///
    /// Fails if: a shield keeps a caller in line whose limit has passed.
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    @Test func aShieldedCallerWithALimitLeaves() async throws {
      let clock = ManualClock()
      let held = await Held(SerialTaskExecutor(name: "held", clock: clock))
      let caller = Task {
        try await withTaskCancellationShield { try await held.executor.enqueue(waitingAtMost: .seconds(1)) {} }
      }
      try await held.executor.waitUntil(waiting: 1)
      caller.cancel()
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
      await #expect(throws: JobRejection.self) { try await caller.value }
      try await held.release()
    }

    /// Draining.
    ///
    /// Fails if: a drain under a shield throws in a cancelled task, or returns while a job runs.
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    @Test func aShieldedDrainWaits() async throws {
      let held = await Held()
      let ends = Log<String>()
      held.executor.submit { ends("job") }
      let drain = Task {
        try await inACancelledTask { try await held.executor.drain() }
        ends("drain")
      }
      await othersHaveRun()
      #expect(ends.entries.isEmpty)
      try await held.release()
      try await drain.value
      #expect(ends.entries == ["job", "drain"])
    }

    /// Renewing, and a caller that waits for it.
    ///
    /// Fails if: a shielded caller of a cancelled task gets no value, or the renewal is cancelled.
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    @Test func aShieldedCallerIsRenewedFor() async throws {
      let gate = Gate()
      let token = RenewingValue<Int> { _ in
        await gate.pass()
        return Renewed(Task.isCancelled ? 0 : 1, validFor: .seconds(3_600))
      }
      let caller = Task { try await withTaskCancellationShield { try await token.value() } }
      await gate.waitForArrivals()
      caller.cancel()
      await othersHaveRun()
      #expect(token.snapshot.waiting == 1)
      gate.open()
      #expect(try await caller.value == 1)
    }
  }
#endif
