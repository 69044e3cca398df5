// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

func wrong(_ line: SerialTaskExecutor) async throws {
  // error: 'enqueue' is unavailable: a job's name has a label: enqueue(name: "…") { … }
  try await line.enqueue("save") {}
  // error: extraneous argument label 'for:' in call
  try await line.enqueue(for: "ann") {}
  // error: 'enqueue(name:timeout:_:)' is unavailable: a limit on waiting is enqueue(waitingAtMost:); to limit the job as well, cancel the task that calls
  try await line.enqueue(timeout: .seconds(1)) {}
  // error: 'count' is unavailable: how many wait and run is in snapshot: snapshot.waiting, snapshot.running
  print(line.count)
  // error: 'isIdle' is unavailable: drain() waits until all has ended; snapshot shows what waits and runs now
  print(line.isIdle)
  // error: 'flush()' is unavailable: drain() waits until all that was accepted has ended
  try await line.flush()
  // error: 'stop()' is unavailable: shutDown(within: .zero) ends everything; cancelAll() keeps it open
  line.stop()
  // error: 'shutdown()' is unavailable: shutDown(within:), with the time that accepted work may take
  await line.shutdown()
  // error: 'run' is unavailable: enqueue { … } waits for its job and returns the result; submit { … } returns at once
  try await line.run {}
  // error: 'perform' is unavailable: enqueue { … } waits for its job and returns the result; submit { … } returns at once
  try await line.perform {}
  // error: 'sync' is unavailable: no thread is blocked here: enqueue { … } in async code, submit { … } elsewhere
  try line.sync {}
  // error: 'submit(after:_:)' is unavailable: a job has no delay: sleep before you submit it, or in it; drafts are CoalescingTaskExecutor's
  line.submit(after: .seconds(1)) {}
  // error: 'submit(waitingAtMost:_:)' is unavailable: a limit on waiting is enqueue(waitingAtMost:); what is submitted waits as long as it must
  line.submit(waitingAtMost: .seconds(1)) {}
  // error: argument type 'SerialTaskExecutor' does not conform to expected type 'TaskExecutor'
  Task(executorPreference: line) {}
  // error: cannot find 'nonsense' in scope
  try await line.enqueue { nonsense() }
}

func withoutTry(_ line: SerialTaskExecutor) async throws {
  // error: call can throw but is not marked with 'try'
  await line.enqueue {}
}

func answer(to rejection: JobRejection) -> Int {
  // error: switch covers known cases, but 'JobRejection' may have additional unknown values, possibly added in future versions
  switch rejection {
  case .cancelled, .late, .withdrawn, .full, .keyFull, .closed, .deadlock: 503
  }
}
