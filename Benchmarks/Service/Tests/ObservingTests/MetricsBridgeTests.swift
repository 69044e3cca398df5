import CoalescingTasks
import MetricsTestKit
import Observing
import Testing

@Suite struct MetricsBridgeTests {
  private let metrics = TestMetrics()

  /// Fails if: a key becomes a dimension, or a job is not counted.
  @Test func executorsAreDimensionsAndKeysAreNot() async throws {
    let accounts = KeyedSerialTaskExecutor<String>(name: "accounts", onEvent: MetricsBridge(factory: metrics).report)
    for key in ["ann", "bob", "bob"] { try await accounts.enqueue(for: key) {} }
    #expect(metrics.counterTotal(label: "jobs_began", dimensions: [("executor", "accounts")]) == 3)
    #expect(metrics.counters.allSatisfy { counter in counter.dimensions.allSatisfy { !$0.1.contains("[") } })
  }

  /// Fails if: a rejection is counted under another reason than its own.
  @Test func rejectionsAreCountedByReason() async throws {
    let line = SerialTaskExecutor(name: "orders", capacity: 1, onEvent: MetricsBridge(factory: metrics).report)
    line.pause()
    let job = line.submit {}
    for _ in 0..<2 { await #expect(throws: JobRejection.self) { try await line.enqueue {} } }
    job.cancel()
    let label = "jobs_rejected"
    #expect(metrics.counterTotal(label: label, dimensions: [("executor", "orders"), ("reason", "full")]) == 2)
    #expect(metrics.counterTotal(label: label, dimensions: [("executor", "orders"), ("reason", "cancelled")]) == 1)
  }

  /// Fails if: what watches for a rise of a counter misses the first.
  @Test func countersAreThereFromTheStart() {
    _ = MetricsBridge(of: ["orders"], factory: metrics)
    #expect(Set(metrics.counters.map(\.label)) == ["jobs_began", "jobs_failed", "callers_left", "jobs_rejected"])
  }

  /// Fails if: a job's wait, its turn or the depth of its line is not recorded, or a job that never ran has a running time.
  @Test func timesAndDepth() async throws {
    let line = SerialTaskExecutor(name: "orders", onEvent: MetricsBridge(factory: metrics).report)
    line.pause()
    let jobs = (0..<3).map { _ in line.submit {} }
    jobs[2].cancel()
    line.resume()
    try await line.drain()
    let (waited, ran) = (
      try metrics.expectTimer("jobs_waited", [("executor", "orders")]),
      try metrics.expectTimer("jobs_ran", [("executor", "orders")])
    )
    #expect([waited.values.count, ran.values.count] == [2, 2])
    #expect(try metrics.expectRecorder("jobs_ahead", [("executor", "orders")]).values == [0, 1, 2])
  }

  /// Fails if: a late read is counted twice as load that was shed.
  @Test func aLateReadIsShedOnce() async throws {
    let line = CoalescingTaskExecutor<Int>(name: "reads", onEvent: MetricsBridge(factory: metrics).report)
    line.pause()
    await #expect(throws: JobRejection.late) { try await line.read(1, waitingAtMost: .milliseconds(1)) { 1 } }
    #expect(metrics.counters.filter { $0.label == "jobs_rejected" }.map(\.totalValue) == [1])
    #expect(metrics.counterTotal(label: "callers_left") == 1)
  }

  /// Fails if: callers that share an operation are counted as jobs.
  @Test func joinersAreCounted() async throws {
    let coalescer = TaskCoalescer<Int, Int>(name: "reads", onEvent: MetricsBridge(factory: metrics).report)
    let latch = Latch()
    let callers = (0..<3).map { _ in
      Task.immediate {
        try await coalescer.value(for: 1) {
          try await latch.wait()
          return 1
        }
      }
    }
    latch.open()
    for caller in callers { #expect(try await caller.value == 1) }
    #expect(metrics.counterTotal(label: "jobs_began", dimensions: [("executor", "reads")]) == 1)
    #expect(metrics.counterTotal(label: "jobs_joined", dimensions: [("executor", "reads")]) == 2)
  }
}
