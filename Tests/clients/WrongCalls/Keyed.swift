// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

func wrong(_ accounts: KeyedSerialTaskExecutor<String>) async throws {
  // error: 'enqueue(for:name:timeout:_:)' is unavailable: a limit on waiting is enqueue(for:waitingAtMost:); to limit the job as well, cancel the task that calls
  try await accounts.enqueue(for: "a", timeout: .seconds(1)) {}
  // error: 'enqueue(_:name:_:)' is unavailable: the key has a label: enqueue(for: key) { … }
  try await accounts.enqueue("ann") {}
  // error: 'enqueue(_:name:_:)' is unavailable: the key has a label: enqueue(for: key) { … }
  print(try await accounts.enqueue("ann") { 42 })
  // error: 'enqueue(_:name:rejectedAs:_:)' is unavailable: the key has a label: enqueue(for: key) { … }
  try await accounts.enqueue("ann", rejectedAs: rejected) { () async throws(JobRejection) in }
  // error: 'enqueue(key:name:_:)' is unavailable: the label of the key is for: enqueue(for: key) { … }
  try await accounts.enqueue(key: "ann") {}
  // error: missing argument for parameter 'for' in call
  try await accounts.enqueue {}
  // error: 'enqueue(for:name:_:)' is unavailable: a job of several keys is enqueue(forAll: keys) { … }
  try await accounts.enqueue(for: ["ann", "bob"]) {}
  // error: 'enqueue(for:name:priority:_:)' is unavailable: the job runs in the caller's task, with its priority; for another, submit(for:priority:) { … }
  try await accounts.enqueue(for: "ann", priority: .high) {}
  // error: cannot convert value of type 'String' to specified type 'Int'
  try await accounts.enqueue(for: "ann") { let x: Int = "a" }
}

func noSequence(_ accounts: KeyedSerialTaskExecutor<String>) async throws {
  // error: failed to produce diagnostic for expression; please submit a bug report (https://swift.org/contributing/#reporting-bugs)
  try await accounts.enqueue(forAll: "ann", "bob") {}
}

func wrongSubmissions(_ accounts: KeyedSerialTaskExecutor<String>) {
  // error: 'submit(_:name:priority:_:)' is unavailable: the key has a label: submit(for: key) { … }
  accounts.submit("ann") {}
  // error: 'submit(key:name:priority:_:)' is unavailable: the label of the key is for: submit(for: key) { … }
  accounts.submit(key: "ann") {}
  // error: missing argument for parameter 'for' in call
  accounts.submit {}
  // error: 'submit(for:name:priority:_:)' is unavailable: a job of several keys is submit(forAll: keys) { … }
  accounts.submit(for: ["ann", "bob"]) {}
}

func rejected(_ rejection: JobRejection) -> JobRejection { rejection }
