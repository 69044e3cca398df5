import CoalescingTasks
import TestWatch
import Testing

/// Which job a task is in, and what one that is just rejected waits for.
@Suite(.watched) struct SelfDeadlockTests {
  let executor = SerialTaskExecutor(name: "notes")

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

  /// Fails if: a job of one key counts as a job of another, or of none.
  @Test func isInJobOfAKey() async throws {
    let executor = KeyedSerialTaskExecutor<String>(name: "accounts")
    let held = await Held(executor, "bob")
    #expect(!executor.isInJob(for: "ann"))
    try await executor.enqueue(for: "ann") {
      #expect(executor.isInJob(for: "ann"))
      #expect(!executor.isInJob(for: "bob"), "another task has this turn")
      #expect(!executor.isInJob(for: "cid"), "no task has this turn")
      executor.preconditionInJob(for: "ann")
      try await executor.enqueue(for: "cid") {
        #expect(executor.isInJob(for: "ann") && executor.isInJob(for: "cid"))
      }
      #expect(await Task { executor.isInJob(for: "ann") }.value == false)
    }
    #expect(try await executor.submit(for: "ann") { executor.isInJob(for: "ann") }.value)
    #expect(!executor.isInJob(for: "ann"))
    try await held.release()
  }

  /// Fails if: it stops a program that is in a turn, or may be: in a child task that nothing tells from a copy.
  @Test func codeInATurnGoesOn() async throws {
    let executor = CoalescingTaskExecutor<String>(name: "notes")
    try await executor.write {
      executor.preconditionInJob()
      await withTaskGroup { $0.addTask { executor.preconditionInJob() } }
    }
    try await executor.write(touching: ["a"]) { executor.preconditionInJob("in a write") }
    try await executor.read("a") { executor.preconditionInJob() }
  }
}
