import SerialTasks
import Testing

/// What happens to a submitted job before the line knows its task.
@Suite(.watched) struct AttachTests {
  /// Its task may run before `submit` has handed it to the line.
  ///
  /// Fails if: a job that was cancelled then does not see it.
  @Test func aCancellationBeforeTheTaskIsKnownReachesIt() async {
    let line = KeyedLine<String>(name: nil, type: "test", onEvent: nil)
    let job = Waiter(name: "job", isSubmitted: true)
    line.state.withLock { table in
      _ = table.join(JobClaim(in: table, job, kind: [], touchesEveryKey: true, first: nil))
      _ = table.begin(job)
      _ = table.withdraw(from: table.all)
    }
    let gate = Gate()
    let task = Task { await gate.pass() }
    line.attach(task, to: job)
    #expect(task.isCancelled)
    line.state.withLock { table in _ = table.finish(job) }
    gate.open()
    await task.value
  }
}
