import Testing

@testable import SerialTasks

/// What happens to a submitted job before the line knows its task.
@Suite(.watched) struct AttachTests {
  /// Its task may run before `submit` has handed it to the line.
  ///
  /// Fails if: a job that was cancelled then does not see it.
  @Test func aCancellationBeforeTheTaskIsKnownReachesIt() async {
    let line = KeyedLine<String>(name: nil, type: "SerialTaskExecutor", onEvent: nil)
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

  /// Its task may wait, and its turn come, before `submit` has handed it to the line.
  ///
  /// Fails if: a job begins before it is known which task runs it, and is out of the reach of who cancels it.
  @Test(arguments: [(true, false), (false, false), (false, true)])
  func aTurnBeforeTheTaskIsKnown(isFree: Bool, replaces: Bool) async {
    let line = KeyedLine<String>(name: nil, type: "SerialTaskExecutor", onEvent: nil)
    let (holder, older, job) = (Job(.submitted), Job(.submitted), Job(.submitted, name: "job"))
    let resumed = line.locked { state in
      var effects = Effects()
      if !isFree { _ = state.arrive(holder, &effects) }
      if replaces {
        _ = state.arrive(older, &effects)
        _ = state.replace(older, by: job, &effects)
      } else {
        _ = state.arrive(job, &effects)
      }
      #expect(job.park(Suspension(tag: 1)))
      if !isFree { state.end(holder, &effects) }
      return effects.resumed
    }
    #expect(resumed.isEmpty)
    let task = Task {}
    #expect(line.locked { _ in job.attach(task) }.suspension?.tag == 1)
    line.locked { state in
      var effects = Effects()
      state.end(job, &effects)
    }
    await task.value
  }
}
