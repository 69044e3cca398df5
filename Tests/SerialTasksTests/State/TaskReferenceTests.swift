import Foundation
import SerialTasksTesting
import TestWatch
import Testing

@testable import SerialTasks

/// What is read of a task by its address, which the standard library does not promise.
@Suite(.watched) struct TaskReferenceTests {
  /// Fails if: another word than the reference of a `Task` is taken for the running task, or one where none runs.
  @Test func theTaskThatRuns() async throws {
    let task = Task { TaskReference.current?.word }
    #expect(await task.value == unsafeBitCast(task, to: UInt.self))
    let outside = Gate()
    Thread.detachNewThread {
      #expect(TaskReference.current == nil)
      outside.open()
    }
    await outside.pass()
  }

  /// Fails if: asking for the running task retains or releases it.
  @Test func itIsNotRetained() async throws {
    let task = Task {
      let word = try #require(TaskReference.current?.word)
      let object = Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(bitPattern: word)!).takeUnretainedValue()
      let before = _getRetainCount(object)
      for _ in 0..<100 { #expect(TaskReference.current?.word == word) }
      // Others may hold it for a moment.
      return abs(Int(_getRetainCount(object)) - Int(before)) < 50
    }
    #expect(try await task.value)
  }

  /// Fails if: `UnsafeCurrentTask` holds more than one reference to its task, or another one, or, where that is unknown, the
  /// priority of another task is guessed, or that of the running one is not known.
  @Test(arguments: [TaskPriority.high, .low]) func itsPriority(_ priority: TaskPriority) async throws {
    let task = Task(priority: priority) {
      let task = TaskReference.running
      return (task.priority, task.ownPriority, Task.currentPriority.rawValue)
    }
    let (known, own, real) = await task.value
    #expect(own == real)
    #expect(known == (childrenAreCertain ? real : 0))
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
    await asks.waitForArrivals()
    task.cancel()
    asks.open()
    #expect(await task.value == (false, true))
    other.open()
    #expect(await neighbour.value == false)
  }
}
