import CoalescingTasks
import InMemoryTracing
import Observing
import Testing
import Tracing

@Suite struct TraceBridgeTests {
  private let tracer = InMemoryTracer()

  /// Fails if: the wait of a job is not a span of its caller's trace, or goes on into its turn.
  @Test func aJobHasASpanForItsWaitAndOneForItsTurn() async throws {
    let line = SerialTaskExecutor(name: "orders", onEvent: TraceBridge(tracer).report)
    line.pause()
    let open = try await tracer.withSpan("request") { _ in
      let job = line.submit(name: "ship") { [tracer] in tracer.activeSpans.map(\.operationName).sorted() }
      line.resume()
      return try await job.value
    }
    #expect(open == ["request", "turn orders"])
    try await line.drain()
    let spans = tracer.finishedSpans
    let request = try #require(spans.first { $0.operationName == "request" })
    #expect(spans.filter { $0.parentSpanID == request.spanID }.map(\.operationName) == ["wait orders", "turn orders"])
    #expect(tracer.activeSpans.isEmpty)
  }

  /// Fails if: the span of a caller that joins does not lead to that of the flight.
  @Test func aJoinerIsLinkedToTheFlight() async throws {
    let coalescer = TaskCoalescer<Int, Int>(name: "reads", onEvent: TraceBridge(tracer).report)
    let latch = Latch()
    let callers = ["leads", "joins"].map { name in
      Task.immediate { [tracer] in
        try await tracer.withSpan(name) { _ in
          try await coalescer.value(for: 1) {
            try await latch.wait()
            return 1
          }
        }
      }
    }
    latch.open()
    for caller in callers { _ = try await caller.value }
    let spans = tracer.finishedSpans
    let turn = try #require(spans.first { $0.operationName == "turn reads" })
    let join = try #require(spans.first { $0.operationName == "join reads" })
    let joiner = try #require(spans.first { $0.operationName == "joins" })
    #expect(join.parentSpanID == joiner.spanID)
    #expect(join.links.map { $0.context.inMemorySpanContext?.spanID } == [turn.spanID])
  }

  /// Fails if: a job that never ran leaves its span open, or does not say why.
  @Test func aRejectedJobEndsItsSpan() async throws {
    let line = SerialTaskExecutor(name: "orders", onEvent: TraceBridge(tracer).report)
    line.pause()
    let job = line.submit {}
    job.cancel()
    #expect(tracer.activeSpans.isEmpty)
    #expect(tracer.finishedSpans.map(\.operationName) == ["wait orders"])
    #expect(tracer.finishedSpans.first?.errors.count == 1)
  }
}
