import Foundation
import SerialTasks
import SerialTasksTesting
import Synchronization
import TestWatch
import Testing

/// Whether a runtime in which the probe no longer works is found out.
@Suite(.watched) struct ProbeCheckTests {
  /// Asks with a probe that finds the marker at a place for each look: of a task, its child, a child of that, a copy, the task.
  private func isRight(_ place: @escaping @Sendable (Int) -> UInt) -> Bool {
    let looks = Atomic(0)
    let isRight = ProbeCheck { _ in UnsafeRawPointer(bitPattern: place(looks.add(1, ordering: .relaxed).oldValue)) }
      .isRight
    #expect(looks.load(ordering: .relaxed) == 5)
    return isRight
  }

  /// Fails if: the looks are not those, in this order, or one of them comes after the answer.
  @Test func aCopyElsewhere() { #expect(isRight { $0 == 3 ? 2 : 1 }) }

  /// Fails if: it is not asked where a copy is.
  @Test func aCopyWhereItsOriginalIs() { #expect(!isRight { _ in 1 }) }

  /// Fails if: it is not asked where a child is, or a child of that, or the task itself once more.
  @Test(arguments: [1, 2, 4]) func anotherElsewhere(_ look: Int) {
    #expect(!isRight { $0 == look ? 3 : $0 == 3 ? 2 : 1 })
  }

  /// Fails if: a place that is not known counts as one.
  @Test(arguments: [[0, 1, 2, 4], [3]]) func nowhere(_ looks: [Int]) {
    #expect(!isRight { looks.contains($0) ? 0 : $0 == 3 ? 2 : 1 })
  }

  /// Fails if: what the check starts does not run in its place, whoever asks.
  @Test(.enabled(if: childrenAreCertain)) func itIsRightHere() async throws {
    _ = SerialTaskExecutor()
    #expect(!StorageProbe.isWrong)
    let outside = Gate()
    Thread.detachNewThread {
      #expect(StorageProbe.check.isRight, "where no task runs")
      outside.open()
    }
    await outside.pass()
    await MainActor.run { #expect(StorageProbe.check.isRight, "on the main actor") }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(Task.isCancelled && StorageProbe.check.isRight, "in a cancelled task")
    }
    await cancelled.value
    try await SerialTaskExecutor().enqueue { #expect(StorageProbe.check.isRight, "in a job") }
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { #expect(StorageProbe.check.isRight, "at the same time") } }
    }
  }
}

/// What is left where the probe is wrong: only the task that has a turn is certain to have it.
///
/// Runs with `SERIALTASKS_NO_PROBE`. That this is enough is what all other tests then show.
@Suite(.watched, .disabled(if: childrenAreCertain)) struct WithoutProbeTests {
  /// Fails if: the check believes the probe.
  @Test func itIsFoundOut() {
    _ = SerialTaskExecutor()
    #expect(StorageProbe.isWrong)
  }

  /// Fails if: the task of a job is not known, or another one is taken for it: a copy, a child, or the task that has the next
  /// turn.
  @Test func onlyTheTaskItselfIsCertain() async throws {
    let line = SerialTaskExecutor(name: "line")
    let (copies, gate) = (Log<Bool>(), Gate())
    try await line.enqueue {
      #expect(line.isInJob)
      await #expect(throws: JobRejection.self) { try await line.enqueue {} }
      #expect(await Task { line.isInJob }.value == false)
      async let child = line.isInJob
      #expect(await child == false)
      Task {
        await gate.pass()
        copies(line.isInJob)
      }
    }
    try await line.enqueue {
      gate.open()
      try await until { copies.entries == [false] }
    }
  }

  /// Fails if: a job that is submitted detached is not known to its own task, or a copy of that task is taken for it.
  @Test func detachedJobs() async throws {
    let line = SerialTaskExecutor(name: "line")
    let inside = Log<Bool>()
    line.pause()
    for _ in 0..<3 {
      line.submitDetached {
        inside(line.isInJob)
        inside(await Task { line.isInJob }.value)
      }
    }
    line.resume()
    try await line.drain()
    #expect(inside.entries == [true, false, true, false, true, false])
  }
}
