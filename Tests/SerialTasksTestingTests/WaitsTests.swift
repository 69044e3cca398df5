import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// What `waitUntil(waiting:)` counts beside what the table of promises sees of it.
@Suite(.watched) struct WaitsTests {
  /// The job is withdrawn while its arrival is being reported: no job waits when observers continue.
  ///
  /// Fails if: a moment with enough waiters is missed.
  @Test func noMomentIsMissed() async throws {
    let (gate, withdraw) = (Gate(), Log<@Sendable () -> Void>())
    let line = SerialTaskExecutor { event in if case .waiting = event.kind { for act in withdraw.entries { act() } } }
    withdraw { [weak line] in line?.cancelAll() }
    line.submit { await gate.pass() }
    let observer = Task.immediate { try await line.waitUntil(waiting: 1) }
    let late = line.submit {}
    await #expect(throws: JobRejection.withdrawn) { try await late.value }
    #expect(line.snapshot.waiting == 0)
    try await observer.value
    gate.open()
    try await line.drain()
  }

  /// Fails if: a job or a caller of another key is counted, one of an invalidated operation is not, or waiting for a key makes it busy.
  @Test func keysAreCountedApart() async throws {
    let gate = Gate()
    let (bank, profiles) = (KeyedSerialTaskExecutor<String>(), TaskCoalescer<String, Void>())
    let early = [
      Task.immediate { try await bank.waitUntil(waiting: 1, for: "ann") },
      Task.immediate { try await profiles.waitUntil(waiting: 2, for: "ann") },
    ]
    #expect(bank.line.size.busy == 0)
    let calls = ["ann", "bob", "bob"].map { key in
      bank.submit(for: key) { await gate.pass() }
      // What is invalidated still has its caller.
      profiles.invalidate("bob")
      return Task.immediate { try await profiles.value(for: key) { await gate.pass() } }
    }
    try await bank.waitUntil(waiting: 1, for: "bob")
    try await profiles.waitUntil(waiting: 2, for: "bob")
    try await profiles.waitUntil(waiting: 3)
    for call in early {
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }
    gate.open()
    for call in calls { try await call.value }
    try await bank.drain()
  }

  /// Fails if: callers that join a read are counted; the snapshot does not count them either.
  @Test func joinersOfAReadAreNotCounted() async throws {
    let repository = CoalescingTaskExecutor<Int>()
    repository.pause()
    let reads = (1...2).map { _ in Task.immediate { try await repository.read(7) {} } }
    let two = Task.immediate { try await repository.waitUntil(waiting: 2) }
    try await repository.waitUntil(waiting: 1)
    two.cancel()
    await #expect(throws: CancellationError.self) { try await two.value }
    repository.resume()
    for read in reads { try await read.value }
  }

  /// Fails if: a call from inside a job is rejected, counts the job itself, or leaves the isolation of its caller.
  @Test @MainActor func aJobMayWaitForWaiters() async throws {
    let line = SerialTaskExecutor()
    let gate = Gate()
    let job = Task.immediate {
      try await line.enqueue {
        gate.open()
        try await line.waitUntil(waiting: 1)
        MainActor.assertIsolated()
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
      let observer = Task.immediate { try await line.waitUntil(waiting: 2) }
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
