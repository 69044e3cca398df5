import Observing
import SerialTasks
import Testing

@Suite struct LastEventsTests {
  /// Fails if: another than the oldest event is dropped, or they are not in their order.
  @Test(arguments: [(2, 2), (5, 5), (8, 5)]) func theLastEventsAreKept(_ count: Int, _ kept: Int) async throws {
    let last = LastEvents(5)
    let line = SerialTaskExecutor(name: "orders", onEvent: last.record)
    line.close()
    for number in 0..<count { try? await line.enqueue(name: "\(number)") {} }
    #expect(last.events.map(\.job) == (count - kept..<count).map { "\($0)" })
  }
}
