import SerialTasks
import Testing

private enum Local {
  @TaskLocal static var one = 0
  @TaskLocal static var three = (0, 0, 0)
  @TaskLocal static var four = (0, 0, 0, 0)
}

/// A marker that outlives its turn is copied on and on, and memory is used again: a copy can come to lie where the marker lay.
@Suite(.watched) struct StaleMarkerTests {
  /// The task that outlives the job starts others, with task-locals of different sizes between, so that their copies of the
  /// marker come to lie at different places of the memory that the job's task has freed.
  ///
  /// Whether a copy meets the address is luck; what must then happen is tested in `CopyAtTheMarkersAddressTests`.
  @Test(arguments: [true, false]) func aCopyAtTheMarkersAddressIsStillACopy(keepingTheExecutor: Bool) async throws {
    let mistaken = Log<String>()
    for _ in 0..<20 {
      let gate = Gate()
      var executor: SerialTaskExecutor? = SerialTaskExecutor(name: "gone")
      let other = SerialTaskExecutor(name: "other")
      let outliving = try await executor?.submit {
        Task {
          await gate.pass()
          await Self.spread { if other.isInJob { mistaken("by another executor") } }
        }
      }.value
      try await executor?.drain()
      let kept = keepingTheExecutor ? executor : nil
      executor = nil
      gate.open()
      await outliving?.value
      if let kept, kept.isInJob { mistaken("here") }
    }
    #expect(mistaken.entries.isEmpty)
  }

  /// While the executor runs another job, a stale copy is no reason to turn anybody away.
  @Test func aStaleCopyIsNeverRejected() async throws {
    let executor = SerialTaskExecutor()
    for _ in 0..<20 {
      let gate = Gate()
      let outliving = try await executor.submit {
        Task {
          await gate.pass()
          await Self.spread { try? await executor.enqueue { await Task.yield() } }
          await Self.spread { if executor.isInJob { Issue.record("a stale copy counts as inside") } }
        }
      }.value
      let held = await Held(executor)
      gate.open()
      try await until { executor.snapshot.waiting > 0 }
      try await held.release()
      await outliving.value
    }
  }

  /// Runs the body in new tasks, whose copies of the marker come to lie behind those of more and more other task-locals, at
  /// every place that memory is handed out at.
  private static func spread(_ body: @escaping @Sendable () async -> Void) async {
    func some() async {
      let tasks = (0..<10).map { _ in Task { await body() } }
      for task in tasks { await task.value }
    }
    func bind(_ more: Int) async {
      await some()
      await Local.$one.withValue(1) { await some() }
      await Local.$three.withValue((1, 2, 3)) {
        await some()
        await Local.$one.withValue(1) { await some() }
      }
      if more > 0 { await Local.$four.withValue((1, 2, 3, 4)) { await bind(more - 1) } }
    }
    await bind(12)
  }
}
