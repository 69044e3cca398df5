import CoalescingTasks
import Foundation
import Synchronization
import Testing

/// What a coalescer calls that is not its own (operations, completions, cancellation handlers, the `deinit` of keys and values)
/// may call the coalescer, take locks, take its time, and nest as deep as it likes.
@Suite(.watched) struct FlightForeignCodeTests {
  let coalescer = TaskCoalescer<Int, Int>(name: "numbers")

  /// Fails if: every leader's operation starts on the stack of the one before (`starting(now: true…)`).
  @Test func operationsMayLeadFlightsToAnyDepth() async throws {
    @Sendable func load(_ depth: Int) async throws -> Int {
      try await coalescer.value(for: depth) { depth == 0 ? 0 : try await load(depth - 1) + 1 }
    }
    #expect(try await load(10_000) == 10_000)
  }

  /// Fails if: the completion is called inside the call, where the caller's lock is taken; with `Task.yield()` that was one
  /// call in many, hence the rounds.
  @Test func aCompletionNeverRunsInsideTheCall() async {
    for round in 0..<2_000 {
      let lock = Mutex(0)
      let done = Gate()
      lock.withLock { _ in
        coalescer.value(for: 1) {
          round
        } completion: { result in
          lock.withLock { $0 = (try? result.get()) ?? -1 }
          done.open()
        }
      }
      await done.pass()
      #expect(lock.withLock { $0 } == round)
    }
  }

  private final class Key: Hashable, Sendable {
    let id: Int
    let atItsEnd: @Sendable () -> Void

    init(_ id: Int, atItsEnd: @escaping @Sendable () -> Void) {
      self.id = id
      self.atItsEnd = atItsEnd
    }

    deinit { atItsEnd() }

    static func == (left: Key, right: Key) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// Fails if: the shelf or the table lets go of a key under the lock (then this traps).
  @Test func aKeyMayAskTheCoalescerAtItsEnd() async throws {
    let keyed = TaskCoalescer<Key, Int>()
    let ends = Mutex(0)
    let key: @Sendable (Int) -> Key = { id in
      Key(id) {
        _ = keyed.snapshot
        ends.withLock { $0 += 1 }
      }
    }
    for id in 0..<10 {
      keyed.prefetch(key(id), expiresAfter: .seconds(3_600)) { id }
      if id % 3 == 0 { keyed.invalidate(key(id)) }
      if id % 3 == 1 { #expect(try await keyed.value(for: key(id)) { -1 } == id) }
      keyed.prefetch(key(id), expiresAfter: .seconds(3_600)) { id }
    }
    keyed.invalidateAll()
    #expect(try await keyed.value(for: key(0)) { 5 } == 5)
    #expect(ends.withLock { $0 } >= 20)
  }

  private final class Leaver: Sendable {
    let task = Mutex<Task<Int, any Error>?>(nil)
  }

  /// While a task's cancellation handlers run, the runtime holds a lock of that task; what the operation does when it is
  /// cancelled is none of the caller's handlers.
  ///
  /// Fails if: the last caller to leave cancels the operation from its own cancellation handler.
  @Test func whatAnOperationDoesWhenCancelledMayTouchTheCallersTask() async {
    let (begun, end) = (Gate(), Gate())
    let leaver = Leaver()
    let caller = Task {
      try await coalescer.value(for: 1) {
        await withTaskCancellationHandler {
          begun.open()
          await end.pass()
        } onCancel: {
          let touched = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            leaver.task.withLock { $0 }?.escalatePriority(to: .high)
            touched.signal()
          }
          #expect(touched.wait(timeout: .now() + 10) == .success, "the runtime's lock of the caller's task is held")
          end.open()
        }
        return 1
      }
    }
    leaver.task.withLock { $0 = caller }
    await begun.pass()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    await end.pass()
  }

  /// Fails if: an expiry is added to the clock's time without a limit.
  @Test func whatIsKeptForEverIsKeptForACentury() async throws {
    let clock = ManualClock()
    let kept = TaskCoalescer<Int, Int>(clock: clock)
    kept.prefetch(1, expiresAfter: .seconds(1e20)) { 7 }
    #expect(try await kept.answer(for: 1) { 0 }.source != .led)
  }
}
