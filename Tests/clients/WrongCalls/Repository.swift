// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

func wrong(_ notes: CoalescingTaskExecutor<String>) async throws {
  // error: 'write(_:name:_:)' is unavailable: a write names all keys that it touches, with a label: write(touching: [key]) { … }
  try await notes.write("a") {}
  // error: 'write(_:name:rejectedAs:_:)' is unavailable: a write names all keys that it touches, with a label: write(touching: [key]) { … }
  try await notes.write("a", rejectedAs: rejected) { () async throws(JobRejection) in }
  // error: 'write(for:name:_:)' is unavailable: a write names all keys that it touches: write(touching: [key]) { … }
  try await notes.write(for: "a") {}
  // error: 'write(touching:name:_:)' is unavailable: the keys are a sequence, also if it is one: write(touching: [key]) { … }
  try await notes.write(touching: "a") {}
  // error: 'submitWrite(_:name:priority:_:)' is unavailable: a write names all keys that it touches, with a label: submitWrite(touching: [key]) { … }
  notes.submitWrite("a") {}
  // error: 'submitWrite(touching:name:priority:_:)' is unavailable: the keys are a sequence, also if it is one: submitWrite(touching: [key]) { … }
  notes.submitWrite(touching: "a") {}
  // error: 'read(for:name:priority:_:)' is unavailable: the key of a read has no label: read(key) { … }
  print(try await notes.read(for: "a") { 1 })
  // error: 'write(_:name:_:)' is unavailable: the keys that a write touches have a label: write(touching: keys) { … }
  try await notes.write(["a", "b"]) {}
  // error: 'write(for:name:_:)' is unavailable: a write names all keys that it touches: write(touching: keys) { … }
  try await notes.write(for: ["a", "b"]) {}
  // error: 'enqueue(name:_:)' is unavailable: a job of this executor is a write or a read: write { … }, read(key) { … }
  try await notes.enqueue {}
  // error: 'submit(name:priority:_:)' is unavailable: a job of this executor is a write or a read: submitWrite { … }, submitRead(key) { … }
  notes.submit {}
  // error: missing argument for parameter #1 in call
  print(try await notes.read { 1 })
  // error: cannot convert value of type 'String' to type 'Int' in coercion
  print(try await notes.read("a") { "a" as Int })
}

func rejected(_ rejection: JobRejection) -> JobRejection { rejection }
