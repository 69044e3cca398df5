// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

func wrong(_ line: SerialTaskExecutor) async throws {
  // error: 'enqueue' is unavailable: a job's name has a label: enqueue(name: "…") { … }
  try await line.enqueue("save") {}
  // error: extraneous argument label 'for:' in call
  try await line.enqueue(for: "ann") {}
  // error: 'enqueue(name:timeout:_:)' is unavailable: a limit on waiting is enqueue(waitingAtMost:); to limit the job as well, cancel the task that calls
  try await line.enqueue(timeout: .seconds(1)) {}
  // error: argument type 'SerialTaskExecutor' does not conform to expected type 'TaskExecutor'
  Task(executorPreference: line) {}
  // error: cannot find 'nonsense' in scope
  try await line.enqueue { nonsense() }
}

func withoutTry(_ line: SerialTaskExecutor) async throws {
  // error: call can throw but is not marked with 'try'
  await line.enqueue {}
}
