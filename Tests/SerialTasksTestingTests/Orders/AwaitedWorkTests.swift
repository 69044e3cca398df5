import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Rings of jobs and operations that callers await inside the same turn: the turn ends when the caller is cancelled, and the
/// awaited work continues.
@Suite(.watched) struct AwaitedWorkTests {
  /// What a load reads while it has the screen, if anything.
  struct Reason: ReloadReason {
    let read: @Sendable () async throws -> Void
    var policy: ReloadPolicy { .join }
  }

  let outer = SerialTaskExecutor(name: "outer")
  let notes = SerialTaskExecutor(name: "notes")
  let audit = SerialTaskExecutor(name: "audit")
  let rejected = Log<[String]>()

  /// ```
  ///   one: outer, awaits its job ── the job has notes ── one leaves: outer is free ── other: outer, audit, requests notes
  ///                                                                                  ── the job requests audit: rejected
  /// ```
  /// Fails if: a job counts as holding the turn in which it is awaited, so that two jobs that are awaited in one turn never meet.
  @Test func aJobHasNoTurnOfWhoAwaitsIt() async throws {
    let gate = Gate()
    let found = try await potentialDeadlocks {
      let one = Task.immediate {
        try await outer.enqueue {
          try await notes.submit {
            await gate.pass()
            do { try await audit.enqueue {} } catch JobRejection.deadlock(let deadlock) { rejected(deadlock.path) }
          }.value
        }
      }
      await gate.arrived()
      one.cancel()
      await #expect(throws: CancellationError.self) { try await one.value }
      let other = Task.immediate {
        try await outer.enqueue { try await audit.enqueue { try await notes.enqueue {} } }
      }
      try await notes.waits(for: 1)
      gate.open()
      try await other.value
    }
    #expect(rejected.entries == [["audit", "notes", "audit"]])
    #expect(found.map { Set($0.path) } == [["notes", "audit"]])
  }

  /// From a program that the explorer found; none of its own schedules closes the ring.
  ///
  /// ```
  ///   one: outer, a read of 0, which requests the screen ── two joins the read ── one leaves, the read continues
  ///   three: outer, loads the screen ── the read joins the load ── three leaves, the load continues
  ///   four: outer, a write of 0 and 1: behind the read ── the load reads 1, behind the write: rejected
  /// ```
  /// Fails if: an operation counts as holding the turn of its first caller.
  @Test func anOperationHasNoTurnOfWhoAwaitsIt() async throws {
    let store = CoalescingTaskExecutor<Int>(name: "store")
    let screen = Reloader<Reason, Int>(name: "screen") { reason in
      try await reason.read()
      return 1
    } apply: { _ in
    }
    let (reading, loading) = (Gate(), Gate())
    let load = Reason { [rejected] in
      await loading.pass()
      do { _ = try await store.read(1) { 1 } } catch JobRejection.deadlock(let deadlock) { rejected(deadlock.path) }
    }
    let read: @Sendable () async throws -> Int = {
      try await store.read(0) {
        await reading.pass()
        return try await screen.reload(Reason {})
      }
    }
    let found = try await potentialDeadlocks {
      let one = Task.immediate { try await outer.enqueue { try await read() } }
      await reading.arrived()
      let two = Task.immediate { try await read() }
      one.cancel()
      await #expect(throws: CancellationError.self) { try await one.value }
      let three = Task.immediate { try await outer.enqueue { try await screen.reload(load) } }
      await loading.arrived()
      reading.open()
      try await screen.waits(for: 2)
      three.cancel()
      await #expect(throws: CancellationError.self) { try await three.value }
      let four = Task.immediate { try await outer.enqueue { try await store.write(touching: [0, 1]) {} } }
      try await store.waits(for: 1)
      loading.open()
      #expect(try await two.value == 1)
      try await four.value
    }
    #expect(rejected.entries == [["store[1]", "store[0]", "screen", "store[1]"]])
    #expect(found.contains { Set($0.path) == ["screen", "store[0]", "store[1]"] }, "\(found.map(\.path))")
  }
}
