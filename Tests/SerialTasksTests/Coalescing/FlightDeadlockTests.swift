import CoalescingTasks
import TestWatch
import Testing

/// An operation that waits for its own flight is rejected, however it came there, and no other caller is.
@Suite(.watched) struct FlightDeadlockTests {
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")

  private nonisolated(nonsending) func expectCycle(
    _ path: [String] = ["profiles[7]", "profiles[7]"], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Int
  ) async {
    let error = await #expect(throws: JobRejection.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error == .deadlock(DeadlockError(path: path)), sourceLocation: sourceLocation)
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0), sourceLocation: sourceLocation)
  }

  /// Fails if: the marker is not looked at before joining. (Then this runs into its time limit.)
  @Test func itsOwnKey() async throws {
    await expectCycle { try await coalescer.value(for: 7) { try await coalescer.value(for: 7) { 1 } } }
    #expect(try await coalescer.answer(for: 7) { 1 } == .led(1))
  }

  /// A prefetch has a key of its own, too; no caller waits for the error.
  @Test func aPrefetchsOwnKey() async throws {
    let rejections = Log<JobRejection>()
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) {
      do { return try await coalescer.value(for: 7) { 1 } } catch let rejection as JobRejection {
        rejections(rejection)
        throw rejection
      }
    }
    #expect(rejections.entries == [.deadlock(DeadlockError(path: ["profiles[7]", "profiles[7]"]))])
    #expect(coalescer.shelved == 0)
  }

  /// What the operation would join is not its own flight any more, so there is nothing to wait for in a circle.
  @Test func afterInvalidatingItsOwnKey() async throws {
    let answer = try await coalescer.value(for: 7) {
      coalescer.invalidate(7)
      return 1 + (try await coalescer.value(for: 7) { 1 })
    }
    #expect(answer == 2)
  }

  /// Fails if: the join window is not asked before the rejection.
  @Test func afterTheJoinWindowOfItsOwnFlight() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Int, Int>(name: "profiles", joinWindow: .seconds(1), clock: clock)
    let answer = try await coalescer.value(for: 7) {
      clock.advance(by: .seconds(2))
      return 1 + (try await coalescer.value(for: 7) { 1 })
    }
    #expect(answer == 2)
  }
}
