import CoalescingTasks
import Foundation
import Testing

/// A key's `description` is the user's code: it may take locks and call this library, also while a cycle gets its name.
@Suite(.watched) struct ForeignNameTests {
  /// Its description starts an operation that holds a flight and has to wait, which is what the wait graph is asked about.
  private struct Key: Hashable, Sendable, CustomStringConvertible {
    let id: Int
    let describes: @Sendable () -> Void

    var description: String {
      describes()
      return "\(id)"
    }

    static func == (left: Key, right: Key) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  private func cycle(_ body: () async throws -> Void) async -> [String]? {
    do { try await body() } catch JobRejection.deadlock(let deadlock) { return deadlock.path } catch {}
    return nil
  }

  /// A job comes and goes on the key while the call that is to touch it gets its name.
  ///
  /// Fails if: the key goes out of the table with that job, so that another call has the key beside this one.
  @Test func aNameMayTakeTheKeyMeanwhile() async throws {
    let keyed = KeyedSerialTaskExecutor<Key>()
    let described = Log<Int>()
    let key = Key(id: 2) {
      described(described.entries.count)
      if described.entries.count > 1 { return }
      keyed.pause()
      keyed.submit(for: Key(id: 2) {}) {}.cancel()
      keyed.resume()
    }
    let gate = Gate()
    let outer = Task.immediate {
      try await keyed.enqueue(for: Key(id: 1) {}) {
        // Of several keys: a call that finds one key free needs no name.
        try await keyed.enqueue(forAll: [key, Key(id: 3) {}]) { await gate.pass() }
      }
    }
    await gate.arrived()
    #expect(!described.entries.isEmpty)
    let other = Task.immediate { try await keyed.enqueue(for: key) {} }
    #expect(keyed.snapshot(for: key).waiting == 1)
    gate.open()
    try await outer.value
    try await other.value
  }

  /// While the cycle gets its names, a job in it is cancelled: what the pause waits for has ended when it is to be rejected.
  ///
  /// ```
  ///   line:  outer ── pauses keyed ····
  ///   keyed: inner ·················── asks line, and is cancelled
  /// ```
  /// Fails if: the pause is rejected, and its executor stays paused.
  @Test func aPauseWhoseCycleIsOpenedMeanwhile() async throws {
    let (line, keyed) = (SerialTaskExecutor(name: "line"), KeyedSerialTaskExecutor<Key>(name: "keyed"))
    let (gate, cancels) = (Gate(), Log<Task<Void, any Error>>())
    let key = Key(id: 1) {
      guard let inner = cancels.entries.first else { return }
      inner.cancel()
      // On a thread of its own, it ends while this one is held.
      while keyed.snapshot.running > 0 { usleep(100) }
    }
    let outer = Task.immediate {
      try await line.enqueue {
        await gate.pass()
        try await keyed.pauseAndWait()
        #expect(keyed.snapshot.isPaused && keyed.snapshot.running == 0)
        keyed.resume()
      }
    }
    await gate.arrived()
    let inner = OneThread().start { try await keyed.enqueue(for: key) { try await line.enqueue {} } }
    try await line.waits(for: 1)
    cancels(inner)
    gate.open()
    try await outer.value
    await #expect(throws: CancellationError.self) { try await inner.value }
    #expect(!keyed.snapshot.isPaused)
  }

  /// Fails if: the names of a cycle are made under the lock of the wait graph (then this traps or hangs).
  @Test func aNameMayWaitForTheLibrary() async throws {
    let held = await Held()
    let described = Log<Int>()
    let inner = TaskCoalescer<Int, Int>()
    let key = Key(id: 7) {
      described(described.entries.count)
      inner.prefetch(described.entries.count, expiresAfter: .seconds(1)) {
        try await held.executor.enqueue { 1 }
      }
    }
    let audit = SerialTaskExecutor(name: "audit")
    let accounts = KeyedSerialTaskExecutor<Key>(name: "accounts")
    let path = await cycle {
      try await audit.enqueue { try await accounts.enqueue(for: key) { try await audit.enqueue {} } }
    }
    #expect(path == ["audit", "accounts[7]", "audit"])
    #expect(!described.entries.isEmpty)
    try await held.release()
    try await held.executor.drain()
  }
}
