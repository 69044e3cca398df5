import SerialTasks
import Testing

/// What a deadlock calls those that are in it, and what it says.
@Suite(.watched) struct CycleNameTests {
  /// Fails if: anything in the cycle is not called by its name, or by its type and an id.
  @Test func namedAndUnnamedAndKeysAndFlights() async throws {
    let (named, unnamed) = (SerialTaskExecutor(name: "notes"), SerialTaskExecutor())
    let keyed = KeyedSerialTaskExecutor<String>(name: "accounts")
    let error = await #expect(throws: JobRejection.self) {
      try await named.enqueue {
        try await keyed.enqueue(for: "ann") { try await unnamed.enqueue { try await named.enqueue {} } }
      }
    }
    guard case .deadlock(let deadlock) = error else { return }
    #expect(deadlock.path.count == 4)
    #expect(deadlock.path[0] == "notes" && deadlock.path[1] == "accounts[ann]" && deadlock.path[3] == "notes")
    #expect(deadlock.path[2].hasPrefix("SerialTaskExecutor#"))

    let coalescer = TaskCoalescer<Int, Int>()
    let other = await #expect(throws: JobRejection.self) {
      try await coalescer.value(for: 7) { try await named.enqueue { try await coalescer.value(for: 7) { 1 } } }
    }
    guard case .deadlock(let deadlock) = other else { return }
    #expect(deadlock.path.count == 3 && deadlock.path[1] == "notes")
    #expect(deadlock.path[0].hasPrefix("TaskCoalescer<Int, Int>#") && deadlock.path[0].hasSuffix("[7]"))
  }

  /// Fails if: a drain of all keys is named after any of the keys that its caller is in, and not the innermost.
  @Test func aDrainOfAllKeysFromInsideTwo() async throws {
    let keyed = KeyedSerialTaskExecutor<String>(name: "accounts")
    let notes = SerialTaskExecutor(name: "notes")
    await expectCycle(["accounts[bob]", "accounts[bob]"]) {
      try await keyed.enqueue(for: "ann") {
        try await notes.enqueue { try await keyed.enqueue(for: "bob") { try await keyed.drain() } }
      }
    }
  }

  /// Fails if: the sentences do not say what waits for what, which call closed the cycle, and what to do.
  @Test func theDescriptionIsSentences() {
    let text = DeadlockError(path: ["A", "B", "A"]).description
    #expect(text.hasPrefix("Deadlock: A → B → A. This call waits for “A”; "))
    #expect(text.contains("what runs in “A” waits for “B”"))
    #expect(text.contains("what runs in “B” waits for this call."))
    #expect(text.contains("submit it without awaiting it"))
    #expect(text.contains("use executors and coalescers in the same order"))
    #expect(text.hasSuffix("."))
    let own = DeadlockError(path: ["A", "A"]).description
    #expect(own.contains("and what runs in “A” waits for this call."))
  }
}
