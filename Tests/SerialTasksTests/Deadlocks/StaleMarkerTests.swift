import SerialTasks
import Testing

private struct Padding: Sendable {
  var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
}

private enum Local {
  @TaskLocal static var first = Padding()
  @TaskLocal static var second = Padding()
  @TaskLocal static var third = Padding()
  @TaskLocal static var fourth = Padding()
}

/// A marker that outlives its turn is copied on and on, and memory is used again: a copy can come to lie where the marker lay.
struct StaleMarkerTests {
  /// The task that outlives the job starts others, with task-locals of different sizes between, so that their copies of the
  /// marker come to lie at different places of the memory that the job's task has given back.
  ///
  /// Fails if: a marker is taken for certain because of its address alone, and not also because its turn goes on. (Some 30 of
  /// 1 000 were, and with the executor gone the program crashed.)
  @Test(arguments: [true, false]) func aCopyAtTheMarkersAddressIsStillACopy(keepingTheExecutor: Bool) async throws {
    let mistaken = Log<String>()
    for _ in 0..<50 {
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
    for _ in 0..<50 {
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
      while executor.snapshot.waiting == 0 { await Task.yield() }
      try await held.release()
      await outliving.value
    }
  }

  private static func spread(_ body: @escaping @Sendable () async -> Void) async {
    func some() async {
      let tasks = (0..<10).map { _ in Task { await body() } }
      for task in tasks { await task.value }
    }
    await Local.$first.withValue(Padding()) {
      await Local.$second.withValue(Padding()) {
        await some()
        await Local.$third.withValue(Padding()) {
          await some()
          await Local.$fourth.withValue(Padding()) { await some() }
        }
      }
    }
  }
}
