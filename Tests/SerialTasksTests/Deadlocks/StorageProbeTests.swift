import SerialTasks
import TestWatch
import Testing

private enum Other {
  @TaskLocal static var value = 0
}

/// The table of what the storage probe can tell: each line of it, through the one question that is asked of it.
///
/// Fails if: a new runtime copies where it linked, or links where it copied. Then the library does with less (`ProbeCheckTests`).
@Suite(.watched, .enabled(if: childrenAreCertain)) struct StorageProbeTests {
  let executor = SerialTaskExecutor()

  private var isInside: Bool { executor.isInJob }

  @Test func theJobsOwn() async throws {
    try await executor.enqueue {
      #expect(isInside, "same task")
      async let child = isInside
      #expect(await child, "async let")
      await withTaskGroup { group in
        group.addTask { isInside }
        for await inside in group { #expect(inside, "group child") }
      }
      await withDiscardingTaskGroup { group in
        group.addTask { #expect(isInside, "discarding-group child") }
      }
      await withTaskGroup { group in
        group.addTask {
          async let grandchild = isInside
          return await grandchild
        }
        for await inside in group { #expect(inside, "grandchild") }
      }
      await Other.$value.withValue(1) {
        #expect(isInside, "same task, while another task-local is bound")
        async let child = isInside
        #expect(await child, "child added while another task-local is bound")
        await withTaskGroup { group in
          group.addTask { isInside && Other.value == 1 }
          for await inside in group { #expect(inside, "group child added while another task-local is bound") }
        }
      }
    }
  }

  @Test func notTheJobsOwn() async throws {
    try await executor.enqueue {
      #expect(await Task { isInside }.value == false, "Task")
      #expect(await Task.immediate { isInside }.value == false, "Task.immediate")
      #expect(await Task.detached { isInside }.value == false, "Task.detached")
      let childOfThat = Task {
        async let child = isInside
        return await child
      }
      #expect(await childOfThat.value == false, "child of a Task")
      await Other.$value.withValue(1) { #expect(await Task { isInside }.value == false, "Task under another local") }
    }
  }

  @Test func aChildAddedToAGroupThatWasOpenedOutside() async throws {
    try await withThrowingTaskGroup { group in
      try await executor.enqueue { group.addTask { isInside } }
      #expect(try await group.next() == false)
    }
  }
}
