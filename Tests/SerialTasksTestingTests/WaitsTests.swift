import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// `waits(for:)` of each type that has waiters.
@Suite(.watched) struct WaitsTests {
  /// Fails if: a call waits although enough wait, or throws then because its task is cancelled.
  @Test(arguments: Room.Kind.allCases) func itReturnsAtOnceIfEnoughWait(_ kind: Room.Kind) async throws {
    let room = await Room.make(kind)
    try await room.waits(0)
    try await room.waits(-1)
    let callers = (0..<3).map { room.come($0) }
    #expect(room.count() == 3)
    for count in 0...3 { try await room.waits(count) }
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await room.waits(3)
    }.value
    try await room.open()
    for caller in callers { try await caller.value }
  }

  /// ```
  /// for 1   ├ waits ─────┼──────► returns
  /// for 2   ├ waits ─────┼─────────┼──────► returns
  /// for 3   ├ waits ─────┼─────────┼──────────── cancelled: throws
  /// callers              ├ first   ├ second
  /// ```
  /// Cancellation does not end a call that has enough waiters, so the last call shows that it has too few.
  ///
  /// Fails if: a call returns too early or too late, or ignores its cancellation; or a call that leaves takes another with it.
  @Test(arguments: Room.Kind.allCases) func itReturnsWhenTheLastHasCome(_ kind: Room.Kind) async throws {
    let room = await Room.make(kind)
    let observers = (1...3).map { count in Task.immediate { try await room.waits(count) } }
    let left = Task.immediate { try await room.waits(2) }
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    let first = room.come(0)
    try await observers[0].value
    let second = room.come(1)
    try await observers[1].value
    #expect(room.count() == 2)
    observers[2].cancel()
    await #expect(throws: CancellationError.self) { try await observers[2].value }
    try await room.open()
    _ = try await (first.value, second.value)
  }

  /// Fails if: a caller that left is counted.
  @Test(arguments: Room.Kind.allCases) func whoHasLeftIsNotCounted(_ kind: Room.Kind) async throws {
    let room = await Room.make(kind)
    let first = room.come(0)
    let two = Task.immediate { try await room.waits(2) }
    first.cancel()
    _ = await first.result
    #expect(room.count() == 0)
    let second = room.come(1)
    two.cancel()
    await #expect(throws: CancellationError.self) { try await two.value }
    try await room.open()
    try await second.value
  }

  /// Fails if: a call waits although its task is already cancelled.
  @Test(arguments: Room.Kind.allCases) func itThrowsIfItsTaskIsCancelled(_ kind: Room.Kind) async throws {
    let room = await Room.make(kind)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await room.waits(1)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await room.open()
  }

  /// The job is withdrawn while its arrival is being reported: no job waits when observers continue.
  ///
  /// Fails if: a moment with enough waiters is missed.
  @Test func noMomentIsMissed() async throws {
    let gate = Gate()
    let own = OwnWithdrawal(gate)
    let observer = Task.immediate { try await own.line.waits(for: 1) }
    let late = own.line.submit {}
    await #expect(throws: JobRejection.withdrawn) { try await late.value }
    #expect(own.line.snapshot.waiting == 0)
    try await observer.value
    gate.open()
    try await own.line.drain()
  }

  /// Fails if: a job of another key is counted, or waiting for a key makes it busy.
  @Test func keysAreCountedApart() async throws {
    let gate = Gate()
    let bank = KeyedSerialTaskExecutor<String>()
    let ann = Task.immediate { try await bank.waits(for: 1, of: "ann") }
    #expect(bank.size.busy == 0)
    bank.submit(for: "ann") { await gate.pass() }
    bank.submit(for: "bob") { await gate.pass() }
    let bob = bank.submit(for: "bob") {}
    try await bank.waits(for: 1, of: "bob")
    ann.cancel()
    await #expect(throws: CancellationError.self) { try await ann.value }
    gate.open()
    try await bob.value
    try await bank.drain()
  }

  /// Fails if: callers of another key are counted.
  @Test func flightsAreCountedApart() async throws {
    let gate = Gate()
    let profiles = TaskCoalescer<String, Int>()
    let calls = ["ann", "bob", "bob"].map { key in
      Task.immediate {
        try await profiles.value(for: key) {
          await gate.pass(); return 1
        }
      }
    }
    let ann = Task.immediate { try await profiles.waits(for: 2, of: "ann") }
    try await profiles.waits(for: 2, of: "bob")
    try await profiles.waits(for: 3)
    ann.cancel()
    await #expect(throws: CancellationError.self) { try await ann.value }
    gate.open()
    for call in calls { #expect(try await call.value == 1) }
  }

  /// Fails if: callers that join a read are counted; the snapshot does not count them either.
  @Test func joinersOfAReadAreNotCounted() async throws {
    let repository = CoalescingTaskExecutor<Int>()
    repository.pause()
    let reads = (1...2).map { _ in Task.immediate { try await repository.read(7) { 7 } } }
    let two = Task.immediate { try await repository.waits(for: 2) }
    try await repository.waits(for: 1)
    two.cancel()
    await #expect(throws: CancellationError.self) { try await two.value }
    repository.resume()
    for read in reads { #expect(try await read.value == 7) }
  }

  /// Fails if: a call leaves the isolation of its caller.
  @Test @MainActor func itStaysInTheIsolationOfItsCaller() async throws {
    let line = SerialTaskExecutor()
    line.pause()
    let job = Task { @MainActor in try await line.enqueue {} }
    try await line.waits(for: 1)
    MainActor.assertIsolated()
    line.resume()
    try await job.value
  }

  /// Fails if: a call from inside a job is rejected, or counts the job itself.
  @Test func aJobMayWaitForWaiters() async throws {
    let line = SerialTaskExecutor()
    let gate = Gate()
    let job = Task.immediate {
      try await line.enqueue {
        gate.open()
        try await line.waits(for: 1)
      }
    }
    await gate.pass()
    try await line.enqueue {}
    try await job.value
  }

  /// Fails if: a call keeps the executor alive after it has returned.
  @Test func itKeepsNothing() async throws {
    weak var released: SerialTaskExecutor?
    do {
      let line = SerialTaskExecutor()
      line.pause()
      let observer = Task.immediate { try await line.waits(for: 2) }
      line.submit {}
      observer.cancel()
      _ = await observer.result
      line.resume()
      try await line.drain()
      released = line
    }
    try await until { released == nil }
  }
}

/// An executor that withdraws each waiting job while its arrival is being reported.
private final class OwnWithdrawal: Sendable {
  let line: SerialTaskExecutor

  init(_ gate: Gate) {
    let owner = Owner()
    line = SerialTaskExecutor { if case .waiting = $0.kind { owner.line.withLock { $0 }?.cancelAll() } }
    owner.line.withLock { $0 = line }
    line.submit { await gate.pass() }
  }

  private final class Owner: Sendable {
    let line = Lock<SerialTaskExecutor?>(nil)
  }
}
