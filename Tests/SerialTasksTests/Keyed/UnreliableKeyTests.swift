import CoalescingTasks
import Synchronization
import Testing

/// Keys that a dictionary does not find again: nothing crashes, stays, or is miscounted for one.
@Suite(.watched) struct UnreliableKeyTests {
  /// Not equal to itself, as a coordinate that a server got wrong.
  private struct Place: Hashable, Sendable {
    var latitude = Double.nan
    var longitude = 0.0
  }

  /// Its hash changes while it is in use, and so does what it is equal to.
  private final class Moving: Hashable, Sendable {
    let now: Mutex<Int>

    init(_ now: Int) { self.now = Mutex(now) }

    func move(to next: Int) { now.withLock { $0 = next } }
    private var id: Int { now.withLock { $0 } }

    static func == (left: Moving, right: Moving) -> Bool { left === right || left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  // MARK: Keyed executors

  /// Fails if: the line of such a key is looked for by the key alone when its last user leaves.
  @Test func aKeyThatIsNotEqualToItself() async throws {
    let executor = KeyedSerialTaskExecutor<Place>(name: "places")
    for _ in 0..<100 {
      try await executor.enqueue(for: Place()) {}
      executor.submit(for: Place()) {}
      executor.submitDetached(for: Place()) {}
    }
    try await executor.drain()
    let gate = Gate()
    let held = (0..<10).map { _ in
      Task { try await executor.enqueue(for: Place()) { await gate.pass() } }
    }
    await gate.arrived(10)
    #expect(executor.snapshot.running == 10)
    executor.cancelAll(for: Place())
    executor.pause()
    let late = (0..<10).map { _ in executor.submit(for: Place()) {} }
    #expect(executor.snapshot.waiting == 10)
    executor.cancelAll()
    for job in late { await #expect(throws: JobRejection.withdrawn) { try await job.value } }
    gate.open()
    for task in held { try await task.value }
    executor.resume()
    try await executor.drain()
    #expect(executor.snapshot.running == 0)
    #expect(executor.snapshot.waiting == 0)
  }

  /// Beside a job of another key, so that the key is not taken together with the line.
  ///
  /// Fails if: the turn of a caller that found such a key free is looked for by its key when it ends.
  @Test func aKeyThatIsNotEqualToItselfBesideAnother() async throws {
    let executor = KeyedSerialTaskExecutor<Double>()
    let gate = Gate()
    let held = executor.submit(for: 1) { await gate.pass() }
    for _ in 0..<100 { try await executor.enqueue(for: .nan) {} }
    #expect(executor.size.busy == 1)
    gate.open()
    try await held.value
  }

  /// Fails if: the table hashes or compares anew what it holds: then it loses lines, or the dictionary traps when it grows.
  @Test func aKeyWhoseHashChanges() async throws {
    let executor = KeyedSerialTaskExecutor<Moving>(name: "moving")
    let keys = (0..<200).map { Moving($0) }
    let gate = Gate()
    let held = keys.map { key in Task { try await executor.enqueue(for: key) { await gate.pass() } } }
    await gate.arrived(200)
    for (number, key) in keys.enumerated() { key.move(to: number + 1_000) }
    // Equal to those, and so many that the table grows.
    let others = (0..<600).map { number in
      Task { try await executor.enqueue(for: Moving(number + 1_000)) { await gate.pass() } }
    }
    await gate.arrived(800)
    gate.open()
    for task in held + others { try await task.value }
    try await executor.drain()
    #expect(executor.snapshot.running == 0)
  }

  // MARK: Flights

  /// Fails if: an ended flight stays because its key is not found, or is counted.
  @Test(arguments: [nil, Duration.seconds(60)]) func flightsOfSuchKeysEnd(joinWindow: Duration?) async throws {
    let coalescer = TaskCoalescer<Place, Int>(joinWindow: joinWindow)
    for number in 0..<1_000 { #expect(try await coalescer.value(for: Place()) { number } == number) }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
    let gate = Gate()
    let callers = (0..<10).map { _ in
      Task.immediate {
        try await coalescer.value(for: Place()) {
          await gate.pass()
          return 1
        }
      }
    }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 10, running: 10, stored: 0))
    callers[0].cancel()
    await #expect(throws: CancellationError.self) { try await callers[0].value }
    coalescer.invalidateAll()
    #expect(coalescer.snapshot.running == 9)
    coalescer.cancelAll()
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
    gate.open()
    for caller in callers.dropFirst() { await #expect(throws: JobRejection.withdrawn) { try await caller.value } }
  }

  /// Fails if: what was prefetched for such a key is not swept away like everything else.
  @Test func whatIsPrefetchedForSuchKeysExpires() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Place, Int>(clock: clock)
    for number in 0..<100 { coalescer.prefetch(Place(), expiresAfter: .seconds(10)) { number } }
    #expect(coalescer.snapshot.stored == 100)
    coalescer.invalidate(Place())
    clock.advance(by: .seconds(11))
    #expect(try await coalescer.value(for: Place()) { 1 } == 1)
    #expect(coalescer.shelved == 0)
  }

  /// Fails if: as for keyed executors.
  @Test func flightsOfKeysWhoseHashChangesEnd() async throws {
    let coalescer = TaskCoalescer<Moving, Int>()
    let keys = (0..<200).map { Moving($0) }
    let gate = Gate()
    let callers = keys.map { key in
      Task.immediate {
        try await coalescer.value(for: key) {
          await gate.pass()
          return 1
        }
      }
    }
    for (number, key) in keys.enumerated() { key.move(to: number + 1_000) }
    let others = (0..<600).map { number in
      Task.immediate {
        try await coalescer.value(for: Moving(number + 1_000)) {
          await gate.pass()
          return 1
        }
      }
    }
    #expect(coalescer.snapshot.running == 800)
    gate.open()
    for caller in callers + others { #expect(try await caller.value == 1) }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
  }

  // MARK: Reads

  /// Fails if: a read of such a key stays in the table when it has ended, or is shared.
  @Test func readsOfSuchKeysEnd() async throws {
    final class Token: Hashable, Sendable {
      static func == (left: Token, right: Token) -> Bool { false }
      func hash(into hasher: inout Hasher) {}
    }
    let executor = CoalescingTaskExecutor<Token>(name: "notes")
    weak var gone: Token?
    do {
      let token = Token()
      gone = token
      let gate = Gate()
      let reads = (0..<10).map { number in
        reading(executor, token) {
          await gate.pass()
          return number
        }
      }
      await gate.arrived(10)
      #expect(executor.snapshot.running == 10)
      reads[9].cancel()
      gate.open()
      for (number, read) in reads.dropLast().enumerated() { #expect(try await read.value == number) }
      _ = await reads[9].result
      try await executor.drain()
    }
    try await until { gone == nil }
  }

  /// Keys that are equal are one key, whichever instance they are.
  ///
  /// Fails if: a line is found, or taken from its key, by anything but equality.
  @Test func equalKeysAreOneKey() async throws {
    struct Key: Hashable {
      let id: Int
      let note: String
      static func == (one: Key, other: Key) -> Bool { one.id == other.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    let executor = KeyedSerialTaskExecutor<Key>()
    let held = await Held(executor, Key(id: 1, note: "one"))
    let call = waiting(executor, Key(id: 1, note: "the same")) { 1 }
    #expect(executor.snapshot(for: Key(id: 1, note: "again")).waiting == 1)
    try await held.release()
    #expect(try await call.value == 1)
    #expect(executor.size.busy == 0)
  }
}
