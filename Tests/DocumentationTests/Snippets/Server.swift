// The blocks of the article on servers; others stand in Benchmarks/Service.
import Foundation
import SerialTasks
import SerialTasksTesting
import Testing

func waitForTermination() async {
  let stopped = AsyncStream<Never>.makeStream()
  signal(SIGTERM, SIG_IGN)  // otherwise the signal ends the process at once
  let source = DispatchSource.makeSignalSource(signal: SIGTERM)
  source.setEventHandler { @Sendable in stopped.continuation.finish() }
  source.activate()
  for await _ in stopped.stream {}
  source.cancel()
}

func within<Value: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil  // too late: the group cancels the work
    }
    return try await group.next() ?? nil
  }
}

struct Deposits: Sendable {
  let api: API
  let line = KeyedSerialTaskExecutor<String>(
    name: "accounts", capacity: 2_000, capacityPerKey: 100, maximumConcurrentJobs: 20)

  func deposit(_ amount: Int, for id: String) async throws {
    try await line.enqueue(for: id, waitingAtMost: .seconds(2)) {
      try await api.deposit(amount, for: id)
    }
  }
}

/// What the article on servers says of limits.
@Suite(.watched, .oneOrder) struct ServerArticleTests {
  @Test func aFreeLineTakesADeposit() async throws {
    let deposits = Deposits(api: API())
    try await deposits.deposit(10, for: "ann")
    #expect(try await deposits.api.notes() == ["ann 10"])
  }

  /// Fails if: the signal ends the process, or is not noticed.
  @Test func aProgramWaitsForItsSignal() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGTERM, SIG_IGN)
      let sending = Task {  // again and again: one that comes before the wait begins is lost
        while !Task.isCancelled {
          kill(getpid(), SIGTERM)
          await Task.yield()
        }
      }
      await waitForTermination()
      sending.cancel()
      exit(7)
    }
  }

  /// Fails if: a limit on the whole call leaves the call in the line, or cuts off one that is in time.
  @Test func aLimitOnTheWholeCall() async throws {
    let (line, gate) = (SerialTaskExecutor(), Gate())
    #expect(try await within(.seconds(60)) { try await line.enqueue { 42 } } == 42)
    line.submit { await gate.pass() }
    await gate.waitForArrivals()
    #expect(try await within(.milliseconds(1)) { try await line.enqueue { 42 } } == nil)
    #expect(line.snapshot.waiting == 0)
    gate.open()
  }
}
