// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import CoalescingTasks

func wrong(_ profiles: TaskCoalescer<String, Int>) async throws {
  // error: 'value(_:name:priority:_:)' is unavailable: the key has a label: value(for: key) { … }
  print(try await profiles.value("ann") { 1 })
  // error: extraneous argument label 'key:' in call
  print(try await profiles.value(key: "ann") { 1 })
  // error: missing argument for parameter 'for' in call
  print(try await profiles.value { 1 })
  // error: extraneous argument label 'for:' in call
  profiles.prefetch(for: "ann", expiresAfter: .seconds(1)) { 1 }
  // error: missing argument for parameter 'expiresAfter' in call
  profiles.prefetch("ann") { 1 }
  // error: extraneous argument label 'for:' in call
  profiles.invalidate(for: "ann")
  // error: extraneous argument label 'for:' in call
  profiles.cancel(for: "ann")
}
