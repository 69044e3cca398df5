import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Which calls a closure sees, and how it affects them.
@Suite(.watched) struct WatchedScopeTests {
  let notes = SerialTaskExecutor(name: "notes")
  let audit = SerialTaskExecutor(name: "audit")

  /// Fails if: a closure sees requests of another that runs at the same time, or misses its own.
  @Test func twoClosuresSeeTheirOwn() async throws {
    let (first, second) = (Gate(), Gate())
    async let one = potentialDeadlocks {
      try await notes.enqueue { try await audit.enqueue {} }
      first.open()
      await second.pass()
    }
    let other = try await potentialDeadlocks {
      await first.pass()
      try await audit.enqueue { try await notes.enqueue {} }
      second.open()
    }
    let both = try await potentialDeadlocks {
      try await audit.enqueue { try await notes.enqueue {} }
      try await notes.enqueue { try await audit.enqueue {} }
    }
    #expect(try await one.isEmpty)
    #expect(other.isEmpty && both.count == 1)
  }

  /// Fails if: an outer closure does not see what an inner one sees, or the inner one sees more than its own requests.
  @Test func aClosureInsideAnother() async throws {
    var inner: [PotentialDeadlock]?
    let outer = try await potentialDeadlocks {
      try await notes.enqueue { try await audit.enqueue {} }
      inner = try await potentialDeadlocks { try await audit.enqueue { try await notes.enqueue {} } }
    }
    #expect(inner == [] && outer.count == 1)
  }

  /// Fails if: tasks that are started in the closure are not seen: children, unstructured ones, submitted jobs, operations, and
  /// tasks that they start.
  @Test func whatIsStartedThereIsSeen() async throws {
    let ways: [@Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void] = [
      { body in
        async let child: Void = body()
        try await child
      },
      { body in try await Task { try await body() }.value },
      { body in try await SerialTaskExecutor().submit { try await body() }.value },
      { body in
        _ = try await TaskCoalescer<Int, Int>().value(for: 1) {
          try await body()
          return 1
        }
      },
      { body in try await SerialTaskExecutor().submit { try await Task { try await body() }.value }.value },
    ]
    for way in ways {
      let found = try await potentialDeadlocks {
        try await way { [notes, audit] in try await notes.enqueue { try await audit.enqueue {} } }
        try await way { [notes, audit] in try await audit.enqueue { try await notes.enqueue {} } }
      }
      #expect(found.map(\.path) == [["notes", "audit", "notes"]])
    }
  }

  /// Fails if: a detached job is not seen by a closure that has used its executor, or is seen by another; or a detached task is
  /// seen.
  @Test func whatInheritsNothing() async throws {
    let first = Gate()
    async let one = potentialDeadlocks { await first.pass() }
    await first.arrived()
    let other = try await potentialDeadlocks {
      try await notes.enqueue {}
      try await notes.submitDetached { [audit] in try await audit.enqueue {} }.value
      try await audit.submitDetached { [notes] in try await notes.enqueue {} }.value
    }
    first.open()
    #expect(other.map(\.path) == [["notes", "audit", "notes"]])
    #expect(await one.isEmpty)
    let detached = try await potentialDeadlocks {
      try await Task.detached { [notes, audit] in
        try await notes.enqueue { try await audit.enqueue {} }
        try await audit.enqueue { try await notes.enqueue {} }
      }.value
    }
    #expect(detached.isEmpty)
  }

  /// Fails if: turns that the calling task holds already are not held in the closure, or the closure hides them.
  @Test func aClosureInsideAJob() async throws {
    let found = try await audit.enqueue {
      try await potentialDeadlocks {
        #expect(audit.isInJob)
        await #expect(throws: JobRejection.self) { try await audit.enqueue {} }
        try await notes.enqueue {}
        try await Task { try await notes.enqueue { try? await audit.enqueue(waitingAtMost: .zero) {} } }.value
      }
    }
    #expect(found.isEmpty)
    let ring = try await audit.enqueue {
      try await potentialDeadlocks {
        try await notes.enqueue {}
        let other = Task.immediate { try await notes.enqueue { try await audit.enqueue {} } }
        try await audit.waits(for: 1)
        other.cancel()
      }
    }
    #expect(ring.map(\.path) == [["audit", "notes", "audit"]])
  }

  /// Fails if: the error of the closure is lost, or its type.
  @Test func itThrowsWhatTheClosureThrows() async {
    await #expect(throws: Broken()) { try await potentialDeadlocks { () async throws(Broken) in throw Broken() } }
    #expect(await potentialDeadlocks {}.isEmpty)
  }

  /// Fails if: the closure leaves the isolation of its caller.
  @MainActor @Test func itKeepsTheIsolation() async throws {
    var count = 0
    let found = try await potentialDeadlocks {
      count += 1
      MainActor.assertIsolated()
      try await notes.enqueue {
        MainActor.assertIsolated()
        count += 1
      }
    }
    #expect(count == 2 && found.isEmpty)
  }

  /// Fails if: a million calls are kept one by one, or the recorder does not report that it has stopped.
  @Test func itIsBounded() async throws {
    let bank = KeyedSerialTaskExecutor<Int>(name: "bank")
    var found = try await potentialDeadlocks(recordingAtMost: 10) {
      for index in 0..<1000 { try await notes.enqueue { try await bank.enqueue(for: index % 10) {} } }
    }
    #expect(found.isEmpty)
    found = try await potentialDeadlocks(recordingAtMost: 10) {
      for index in 0..<11 { try await notes.enqueue { try await bank.enqueue(for: index) {} } }
      try await audit.enqueue { try await notes.enqueue {} }
      try await notes.enqueue { try await audit.enqueue {} }
    }
    #expect(found.map(\.path) == [[]])
    #expect(found.first?.description.hasPrefix("The search is incomplete: there were more requests") == true)
  }

  /// Fails if: requests for many keys outside of turns reach the limit, although no ring could go through them.
  @Test func manyKeysOutsideOfTurns() async throws {
    let bank = KeyedSerialTaskExecutor<Int>(name: "bank")
    let found = try await potentialDeadlocks(recordingAtMost: 10) {
      for index in 0..<100 { try await bank.enqueue(for: index) {} }
      try await notes.enqueue { try await audit.enqueue {} }
    }
    #expect(found.isEmpty)
  }

  /// Fails if: keys with one hash count as equal, or equal keys as different; or the lock of an executor is held when keys are
  /// compared, described or released.
  @Test func keysAreForeign() async throws {
    let bank = KeyedSerialTaskExecutor<ForeignKey>(name: "bank")
    let line = SerialTaskExecutor()
    let found = try await potentialDeadlocks {
      for number in [1, 2, 1] {
        let key = ForeignKey(number: number, line: line)
        try await notes.enqueue { try await bank.enqueue(for: key) {} }
        try await bank.enqueue(for: key) { try await notes.enqueue {} }
      }
    }
    #expect(found.map(\.path) == [["notes", "bank[key 1]", "notes"], ["notes", "bank[key 2]", "notes"]])
  }
}

private struct Broken: Error, Equatable {}

/// A key that calls the library, and shares its hash with all others.
private final class ForeignKey: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  private let line: SerialTaskExecutor

  init(number: Int, line: SerialTaskExecutor) { (self.number, self.line) = (number, line) }

  deinit { _ = line.snapshot }

  static func == (left: ForeignKey, right: ForeignKey) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) {}

  var description: String {
    _ = line.snapshot
    return "key \(number)"
  }
}
