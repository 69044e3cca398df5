import CoalescingTasks
import Testing

/// A caller is cancelled by code of its own that its call runs, after the call has looked and before it has boarded.
@Suite(.watched) struct CancelledInTheCallTests {
  /// Cancels the task that burns it, after so many times.
  private final class Fuse: Sendable {
    private let left = Lock(0)
    /// What a clock shows.
    let time = Lock(Duration.zero)

    func set(_ times: Int) { left.withLock { $0 = times } }

    func burn() {
      let isBurnt = left.withLock { left in
        left -= 1
        return left == 0
      }
      if isBurnt { withUnsafeCurrentTask { $0?.cancel() } }
    }

    var isBurnt: Bool { left.withLock { $0 <= 0 } }
  }

  private struct FusedClock: Clock {
    private static let start = ContinuousClock.now
    let fuse: Fuse

    var now: ContinuousClock.Instant {
      fuse.burn()
      return FusedClock.start + fuse.time.withLock(\.self)
    }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  private struct FusedKey: Hashable, Sendable {
    let fuse: Fuse

    static func == (left: FusedKey, right: FusedKey) -> Bool { true }
    func hash(into hasher: inout Hasher) { fuse.burn() }
  }

  private let fuse = Fuse()
  private let runs = Log<Void>()

  /// Fails if: it starts an operation although it gets nothing.
  @Test func aFlightWhileTheClockIsRead() async {
    let flights = TaskCoalescer<Int, Int>(joinWindow: .seconds(60), clock: FusedClock(fuse: fuse))
    await isCancelled(after: 1) { try await flights.value(for: 7) { runs.add(()) } }
    #expect(runs.entries.isEmpty && flights.snapshot.running == 0)
  }

  /// Fails if: it takes a place for a read that runs although it gets nothing.
  @Test func aReadWhileTheKeyIsHashed() async {
    let notes = CoalescingTaskExecutor<FusedKey>()
    await isCancelled(after: 1) { try await notes.read(FusedKey(fuse: fuse)) { runs.add(()) } }
    #expect(runs.entries.isEmpty && notes.snapshot.running == 0)
  }

  /// Fails if: it starts a renewal although it gets nothing.
  @Test func aRenewalWhileTheClockIsRead() async throws {
    let token = RenewingValue<Int>(clock: FusedClock(fuse: fuse)) { _ in Renewed(runs.add(()), validFor: .seconds(60)) }
    fuse.time.withLock { $0 = .seconds(100) }
    #expect(try await token.value() == 0)
    fuse.time.withLock { $0 = .seconds(50) }
    await isCancelled(after: 2) { try await token.value() }
    #expect(runs.entries.count == 1 && token.snapshot.running == 0)
  }

  private func isCancelled(after times: Int, _ call: @escaping @Sendable () async throws -> Int) async {
    let caller = Task {
      fuse.set(times)
      return try await call()
    }
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(fuse.isBurnt)
  }
}
