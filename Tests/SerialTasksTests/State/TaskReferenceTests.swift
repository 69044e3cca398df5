import Testing

@testable import SerialTasks

/// What is read of a task by its address, which the standard library does not promise.
@Suite(.watched) struct TaskReferenceTests {
  /// Fails if: `UnsafeCurrentTask` holds more than one reference to its task, or another one.
  @Test func theTaskThatRuns() async throws {
    #expect(MemoryLayout<UnsafeCurrentTask?>.size == MemoryLayout<UInt>.size)
    let task = Task { TaskReference.current?.word }
    #expect(await task.value == unsafeBitCast(task, to: UInt.self))
  }

  /// Fails if: a task that runs, and no other, does not learn that it was cancelled, or is taken for cancelled.
  @Test func itsCancellation() async throws {
    let (asks, other) = (Gate(), Gate())
    let task = Task {
      let before = TaskReference.current?.isCancelled
      await asks.pass()
      return (before, TaskReference.current?.isCancelled)
    }
    let neighbour = Task {
      await other.pass()
      return TaskReference.current?.isCancelled
    }
    await asks.arrived()
    task.cancel()
    asks.open()
    #expect(await task.value == (false, true))
    other.open()
    #expect(await neighbour.value == false)
  }
}
