// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import CoalescingTasks

func wrong(_ notes: CoalescingTaskExecutor<String>) async throws {
  // error: 'write(_:name:_:)' is unavailable: a write names all keys that it touches, with a label: write(touching: [key]) { … }
  try await notes.write("a") {}
  // error: extraneous argument label 'for:' in call
  try await notes.write(for: "a") {}
  // error: instance method 'write(touching:name:waitingAtMost:_:)' requires the types 'String' and 'String.Element' (aka 'Character') be equivalent
  try await notes.write(touching: "a") {}
  // error: 'submitWrite(touching:debounce:name:priority:_:)' is unavailable: a write that waits for newer ones is submitWrite(latest: key, touching: [key], after: …) { … }
  notes.submitWrite(touching: ["a"], debounce: .milliseconds(300)) {}
  // error: 'read(_:fresh:name:_:)' is unavailable: a read never misses an earlier write; to join nothing older than this call, use TaskCoalescer.value(for:policy: .rerun)
  print(try await notes.read("a", fresh: true) { 1 })
  // error: 'read(_:policy:_:)' is unavailable: a read joins an equal one, unless a write stands between them; policies are TaskCoalescer's
  print(try await notes.read("a", policy: .rerun) { 1 })
  // error: 'write(latest:touching:_:)' is unavailable: only what is submitted can be replaced: submitWrite(latest: key, touching: [key]) { … }
  try await notes.write(latest: "a", touching: ["a"]) {}
  // error: instance method 'submitWrite(touching:name:priority:_:)' requires the types 'String' and 'String.Element' (aka 'Character') be equivalent
  notes.submitWrite(touching: "a") {}
  // error: extraneous argument label 'for:' in call
  print(try await notes.read(for: "a") { 1 })
  // error: cannot convert value of type '[String]' to expected argument type 'String'
  try await notes.write(["a", "b"]) {}
  // error: value of type 'CoalescingTaskExecutor<String>' has no member 'enqueue'
  try await notes.enqueue {}
  // error: value of type 'CoalescingTaskExecutor<String>' has no member 'submit'
  notes.submit {}
  // error: missing argument for parameter #1 in call
  print(try await notes.read { 1 })
  // error: cannot convert value of type 'String' to type 'Int' in coercion
  print(try await notes.read("a") { "a" as Int })
}
