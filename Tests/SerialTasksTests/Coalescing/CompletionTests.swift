import SerialTasksTesting
import TestWatch
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// Completion handlers of shared work belong to its end.
@Suite(.watched, .serialized) struct CompletionTests {
  enum Call: CaseIterable { case coalescer, renewing, insteadOf }
  enum End: CaseIterable { case drain, shutDown, shutDownNow }

  typealias Completion = @Sendable @MainActor (Result<Int, any Error>) -> Void

  let log = Log<Int>()

  /// What is asked, how, and whether an operation of it runs.
  private func make(
    _ call: Call, _ gate: Gate
  ) -> (part: any Drainable, ask: (@escaping Completion) -> Void, runs: @Sendable () -> Bool) {
    let images = TaskCoalescer<Int, Int>()
    let token = RenewingValue { _ in
      await gate.pass()
      return Renewed(1, validFor: .seconds(60))
    }
    let operation = { @Sendable in
      await gate.pass()
      return 1
    }
    return switch call {
    case .coalescer:
      (images, { images.value(for: 1, operation, completion: $0) }, { images.snapshot.running > 0 })
    case .renewing: (token, { token.value(completion: $0) }, { token.snapshot.running > 0 })
    case .insteadOf: (token, { token.value(insteadOf: 0, completion: $0) }, { token.snapshot.running > 0 })
    }
  }

  /// ```
  ///   main actor: busy ───────────┤ the completion
  ///   operation:  ends
  ///   drain:           waits …………………………………………┤
  /// ```
  /// Fails if: a drain or a shutdown returns before the completion has been called, or takes it for an operation that was interrupted.
  @Test(arguments: Call.allCases, End.allCases) func areAwaited(_ call: Call, _ end: End) async throws {
    for hasEnded in [false, true] {
      let busy = await BusyMainActor()
      defer { busy.release() }
      let (gate, before) = (Gate(), log.entries.count)
      let (part, ask, runs) = make(call, gate)
      if hasEnded { gate.open() }
      ask { [log] in log((try? $0.get()) ?? 0) }
      if hasEnded { try await until { !runs() } } else { await gate.waitForArrivals() }
      let ending = Task.immediate { [log] in
        switch end {
        case .drain: try await part.drain()
        case .shutDown: #expect(await part.shutDown(within: .seconds(3_600)))
        case .shutDownNow: #expect(await part.shutDown(within: .zero) == hasEnded)
        }
        log(2)
      }
      gate.open()
      // Time to return too early.
      for _ in 1...20 { await Task.yield() }
      #expect(log.entries.count == before)
      busy.release()
      try await ending.value
      #expect(log.entries.dropFirst(before) == [end == .shutDownNow && !hasEnded ? 0 : 1, 2])
    }
  }

  /// Fails if: a drain waits for the completion of a later call, or ends before that of an earlier one.
  @Test func ofLaterCalls() {
    var drains = FlightDrains()
    let (first, drain) = (drains.beginCall(), Waiter())
    #expect(drains.wait(drain, for: []).isWait)
    let second = drains.beginCall()
    drains.endCall(second) { _ in }
    #expect(drain.isWaiting && drains.hasOpenCalls)
    drains.endCall(first) { #expect($0 === drain) }
    #expect(!drain.isWaiting && drains.isEmpty && !drains.hasOpenCalls)
  }
}
