import CoalescingTasks
import Testing

/// What an event says that was made by hand, and its instant.
@Suite(.watched) struct EventTimeTests {
  private struct Again: ReloadReason { let policy = SharingPolicy.rerun }

  /// Fails if: an instant is not one of the continuous clock where that is the executor's.
  @Test func instantsOfTheSystem() async throws {
    let events = Log<TaskEvent>()
    let line = SerialTaskExecutor { events($0) }
    let before = ContinuousClock.now
    try await line.enqueue {}
    let after = ContinuousClock.now
    #expect(events.entries.count == 2)
    #expect(events.entries.allSatisfy { before <= $0.instant && $0.instant <= after })
  }

  /// Fails if: a handler cannot be tested without an executor, or what is not given is not left out.
  @Test func anEventMadeByHand() {
    let event = TaskEvent(kind: .began, executor: "orders", job: "ship", place: 1, waited: .seconds(2))
    #expect(event.waited == .seconds(2) && event.ran == nil && event.ahead == nil)
    #expect("\(event)" == "orders: ship began")
    let long = TaskEvent(kind: .heldTooLong(waiting: 2), executor: "orders", job: "ship", ran: .seconds(9))
    #expect("\(long)" == "orders: ship has had its turn for 9.0 seconds, and 2 wait")
    let started = TaskEvent(
      kind: .heldTooLong(waiting: 2, startedInTurn: "inner"), executor: "orders", job: "ship", ran: .seconds(9))
    #expect("\(started)" == "\(long); inner was started in that turn: does ship await it?")
    #expect(ExecutorSnapshot(waiting: 2, running: 1).waiting == 2)
    #expect(CoalescerSnapshot(waiting: 2, running: 1, stored: 3).stored == 3)
    #expect(ReloaderSnapshot(waiting: 1, running: 1, reason: Again()).running == 1)
    #expect(RenewingSnapshot(remaining: .seconds(1)).remaining == .seconds(1))
  }
}
