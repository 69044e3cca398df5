import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Which calls a closure sees, and how it affects them.
@Suite(.watched) struct WatchedScopeTests {
  let calls = Calls()
  var a: SerialTaskExecutor { calls.line("A") }
  var b: SerialTaskExecutor { calls.line("B") }

  /// Fails if: a closure sees requests of another that runs at the same time, before or after it, or misses its own.
  @Test func twoClosuresSeeTheirOwn() async throws {
    let (first, second) = (Gate(), Gate())
    try await calls.make("B → A")
    async let one = potentialDeadlocks {
      try await calls.make("A → B")
      first.open()
      await second.pass()
    }
    let other = try await potentialDeadlocks {
      await first.pass()
      try await calls.make("B → A")
      second.open()
    }
    try await calls.make("B → A")
    let both = try await potentialDeadlocks { try await calls.make("B → A, A → B") }
    #expect(try await one.isEmpty)
    #expect(other.isEmpty && both.count == 1)
  }

  /// Fails if: an outer closure does not see what an inner one sees, or the inner one sees more than its own requests.
  @Test func aClosureInsideAnother() async throws {
    var inner: [PotentialDeadlock]?
    let outer = try await potentialDeadlocks {
      try await calls.make("A → B")
      inner = try await potentialDeadlocks { try await calls.make("B → A") }
    }
    #expect(inner == [] && outer.count == 1)
  }

  /// Fails if: tasks that are started in the closure are not seen: children, unstructured ones, submitted jobs, operations, and
  /// tasks that they start.
  @Test func whatIsStartedThereIsSeen() async throws {
    let ways: [@Sendable (@escaping Calls.Job) async throws -> Void] = [
      { body in
        async let child: Void = body()
        try await child
      },
      { body in try await Task { try await body() }.value },
      { body in try await SerialTaskExecutor().submit { try await body() }.value },
      { body in try await Calls().take("images(a)", body) },
      { body in try await SerialTaskExecutor().submit { try await Task { try await body() }.value }.value },
    ]
    for way in ways {
      let found = try await potentialDeadlocks {
        for call in ["A → B", "B → A"] { try await way { [calls] in try await calls.make(call) } }
      }
      #expect(found.map(\.path) == [["A", "B", "A"]])
    }
  }

  /// Fails if: a detached job is not seen by a closure that has used its executor, or is seen by another; or a detached task is
  /// seen.
  @Test func whatInheritsNothing() async throws {
    let first = Gate()
    async let one = potentialDeadlocks { await first.pass() }
    await first.waitForArrivals()
    let other = try await potentialDeadlocks {
      try await a.enqueue {}
      try await a.submitDetached { [b] in try await b.enqueue {} }.value
      try await b.submitDetached { [a] in try await a.enqueue {} }.value
    }
    first.open()
    #expect(other.map(\.path) == [["A", "B", "A"]])
    #expect(await one.isEmpty)
    let detached = try await potentialDeadlocks {
      try await Task.detached { [calls] in try await calls.make("A → B, B → A") }.value
    }
    #expect(detached.isEmpty)
  }

  /// Fails if: turns that the calling task holds already are not held in the closure, or the closure hides them.
  @Test func aClosureInsideAJob() async throws {
    let found = try await b.enqueue {
      try await potentialDeadlocks {
        #expect(b.isInJob)
        await #expect(throws: JobRejection.self) { try await b.enqueue {} }
        try await a.enqueue {}
        try await Task { try await a.enqueue { try? await b.enqueue(waitingAtMost: .zero) {} } }.value
      }
    }
    #expect(found.map(\.path) == [["B", "a test that watches", "B"]])
    let ring = try await b.enqueue {
      try await potentialDeadlocks {
        try await a.enqueue {}
        let other = Task.immediate { try await calls.make("A → B") }
        try await b.waitUntil(waiting: 1)
        other.cancel()
      }
    }
    #expect(ring.map(\.path) == [["B", "A", "B"]])
  }

  private struct Broken: Error, Equatable {}

  /// Fails if: the closure leaves the isolation of its caller, or its error is lost, or its type.
  @MainActor @Test func itKeepsIsolationAndErrors() async throws {
    var count = 0
    let found = try await potentialDeadlocks {
      MainActor.assertIsolated()
      try await a.enqueue {
        MainActor.assertIsolated()
        count += 1
      }
    }
    #expect(count == 1 && found.isEmpty)
    await #expect(throws: Broken()) { try await potentialDeadlocks { () async throws(Broken) in throw Broken() } }
    #expect(await potentialDeadlocks {}.isEmpty)
  }

  /// Fails if: a million calls are kept one by one, or the recorder does not report that it has stopped; or requests for many keys
  /// outside of turns do, although no ring could go through them.
  @Test(arguments: [
    ((0..<1000).map { "A → keys[\($0 % 10)]" }, true),
    ((0..<11).map { "A → keys[\($0)]" } + ["A → B", "B → A"], false),
    ((0..<100).map { "keys[\($0)]" } + ["A → B"], true),
    ((0..<10).map { "keys[\($0)]" } + ["keys[0] → keys[1]"], true),
    ((0..<11).map { "keys[\($0)]" } + ["keys[0] → keys[1]"], false),
    (["A → keys[\((0..<50).map { "\($0)" }.joined(separator: ","))]"], false),
  ])
  func itIsBounded(requests: [String], isComplete: Bool) async throws {
    var found: [PotentialDeadlock] = []
    // With two closures, neither records what detached jobs of other tests request.
    _ = try await potentialDeadlocks {
      found = try await potentialDeadlocks(recordingAtMost: 10) {
        for request in requests { try await calls.make(request) }
      }
    }
    #expect(found.map(\.path) == (isComplete ? [] : [[]]))
    let words = "The search is incomplete: there were more requests"
    #expect(isComplete || found.first?.description.hasPrefix(words) == true)
  }

  /// Fails if: a watched call leaves something behind with the closure that it calls, until a call overflows the stack.
  @Test func aHundredThousandCalls() async throws {
    let executors = (0..<10).map { SerialTaskExecutor(name: "\($0)") }
    try await SmallStack().start {
      let found = try await potentialDeadlocks {
        try await executors[0].enqueue {
          for number in 0..<100_000 { try await executors[1 + number % 9].enqueue {} }
        }
      }
      #expect(found.isEmpty)
    }.value
  }

  /// Fails if: keys with one hash count as equal, or equal keys as different; or the lock of an executor is held when keys are
  /// compared, described or released.
  @Test func keysAreForeign() async throws {
    let bank = KeyedSerialTaskExecutor<ForeignKey>(name: "bank")
    let line = SerialTaskExecutor()
    let found = try await potentialDeadlocks {
      for number in [1, 2, 1] {
        let key = ForeignKey(number: number, line: line)
        try await a.enqueue { try await bank.enqueue(for: key) {} }
        try await bank.enqueue(for: key) { try await a.enqueue {} }
      }
    }
    #expect(found.map(\.path) == [["A", "bank[key 1]", "A"], ["A", "bank[key 2]", "A"]])
  }
}

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
