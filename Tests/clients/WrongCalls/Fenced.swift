// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks
import SerialTasksFenced

func wrong(_ accounts: FencedSerialTaskExecutor<String>) async throws {
  // error: 'enqueue(_:name:_:)' is unavailable: the key has a label: enqueue(for: key) { fence in … }
  try await accounts.enqueue("ann") { fence in print(fence.number) }
  // error: extraneous argument label 'key:' in call
  try await accounts.enqueue(key: "ann") { fence in print(fence.number) }
  // error: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
  try await accounts.enqueue(for: "ann") { print(1) }
}

enum Book: Hashable, Sendable { case year(Int) }

func withoutOrder(_ books: FencedSerialTaskExecutor<Book>) async throws {
  // error: referencing instance method 'enqueue(touching:name:waitingAtMost:_:)' on 'FencedSerialTaskExecutor' requires that 'Book' conform to 'Comparable'
  try await books.enqueue(touching: [.year(1), .year(2)]) { fences in print(fences.count) }
}
