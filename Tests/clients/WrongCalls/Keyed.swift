// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

func wrong(_ accounts: KeyedSerialTaskExecutor<String>) async throws {
  // error: 'enqueue(_:name:_:)' is unavailable: the key has a label: enqueue(for: key) { … }
  try await accounts.enqueue("ann") {}
  // error: 'enqueue(_:name:_:)' is unavailable: the key has a label: enqueue(for: key) { … }
  print(try await accounts.enqueue("ann") { 42 })
  // error: extraneous argument label 'key:' in call
  try await accounts.enqueue(key: "ann") {}
  // error: missing argument for parameter 'for' in call
  try await accounts.enqueue {}
  // error: cannot convert value of type '[String]' to expected argument type 'String'
  try await accounts.enqueue(for: ["ann", "bob"]) {}
  // error: cannot convert value of type 'String' to specified type 'Int'
  try await accounts.enqueue(for: "ann") { let x: Int = "a" }
}

func noSequence(_ accounts: KeyedSerialTaskExecutor<String>) async throws {
  // error: failed to produce diagnostic for expression; please submit a bug report (https://swift.org/contributing/#reporting-bugs)
  try await accounts.enqueue(touching: "ann", "bob") {}
}

func wrongSubmissions(_ accounts: KeyedSerialTaskExecutor<String>) {
  // error: 'submit(_:name:priority:_:)' is unavailable: the key has a label: submit(for: key) { … }
  accounts.submit("ann") {}
  // error: extraneous argument label 'key:' in call
  accounts.submit(key: "ann") {}
  // error: missing argument for parameter 'for' in call
  accounts.submit {}
  // error: cannot convert value of type '[String]' to expected argument type 'String'
  accounts.submit(for: ["ann", "bob"]) {}
}
