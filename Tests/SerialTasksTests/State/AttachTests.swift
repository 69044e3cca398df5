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
    var effects = Effects()
    line.locked { state in
      _ = state.arrive(job, &effects)
      _ = state.begin(job)
      _ = state.withdraw()
    }
    let gate = Gate()
    let task = Task { await gate.pass() }
    line.attach(task, to: job)
    #expect(task.isCancelled)
    line.locked { $0.end(job, &effects) }
    gate.open()
    await task.value
  }
}
