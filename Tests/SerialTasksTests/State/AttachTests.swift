import SerialTasks
import Testing

/// What happens to a submitted job before the line knows its task.
@Suite(.watched) struct AttachTests {
  /// Its task may run before `submit` has handed it to the line.
  ///
  /// Fails if: a job that was cancelled then does not see it.
  @Test func aCancellationBeforeTheTaskIsKnownReachesIt() async {
    let line = KeyedLine<String>(name: nil, type: .serialTaskExecutor, onEvent: nil)
    let job = Job(.submitted, name: "job")
    line.locked { state in
      _ = state.join(job)
      _ = state.begin(job)
      _ = state.withdraw()
    }
    let gate = Gate()
    let task = Task { await gate.pass() }
    line.attach(task, to: job)
    #expect(task.isCancelled)
    line.locked { state in _ = state.finish(job) }
    gate.open()
    await task.value
  }
}
