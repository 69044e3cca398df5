import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Signing in and logging out, and a pause after a failure.
@Suite(.watched) struct RenewingSessionTests {
  let token = IssuedToken(isHeld: true)

  /// ```
  /// renewal   ├───────────────────────── returns 1, which is discarded
  /// caller    ├─ waits ─┤ 7
  ///           replace(7)
  /// ```
  /// Fails if: who waits does not get the value that was put in, it is not kept for its time, or an older renewal replaces it.
  @Test func whatIsPutInIsNewerThanWhatRuns() async throws {
    let waiting = token.asking()
    token.value.replace(with: Renewed(7, validFor: .seconds(60)))
    #expect(try await waiting.value == 7)
    #expect(token.value.snapshot == RenewingSnapshot(remaining: .seconds(60)))
    token.issuer.answer(1)
    try await token.value.drain()
    #expect(try await token.value.value() == 7)
    #expect(token.issuer.cancelled.isEmpty)
    // The next renewal is given it.
    token.advance(by: 61)
    let later = token.asking()
    token.issuer.answer(2)
    #expect(try await later.value == 2)
    #expect(token.issuer.given == [nil, 7])
  }

  /// Fails if: a value is put in after the end.
  @Test func aClosedValueTakesNothing() async throws {
    token.value.close()
    token.value.replace(with: Renewed(7, validFor: .seconds(60)))
    #expect(token.value.snapshot == RenewingSnapshot(isClosed: true))
    await #expect(throws: JobRejection.closed) { try await token.value.value() }
    await #expect(throws: JobRejection.closed) { try await token.value.value(insteadOf: 7) }
  }

  /// Fails if: a value that is valid is not returned during the pause, or one is renewed ahead of its end then.
  @Test func aValidValueIsReturnedDuringThePause() async throws {
    let clock = ManualClock()
    let calls = Log<Int>()
    let value = RenewingValue<Int>(renewAhead: .seconds(50), pauseAfterFailure: .seconds(20), clock: clock) {
      previous in
      calls(previous ?? 0)
      if previous != nil { throw BackendError(call: 2) }
      return Renewed(1, validFor: .seconds(60))
    }
    #expect(try await value.value() == 1)
    clock.advance(by: .seconds(20))
    #expect(try await value.value() == 1)
    try await value.drain()
    clock.advance(by: .seconds(19))
    #expect(try await value.value() == 1)
    try await value.drain()
    #expect(calls.entries == [0, 1])
    clock.advance(by: .seconds(1))
    #expect(try await value.value() == 1)
    try await value.drain()
    #expect(calls.entries == [0, 1, 1])
  }

  /// Fails if: the pause outlasts `clear()` or a value that is put in.
  @Test(arguments: [false, true]) func whatEndsThePause(isReplaced: Bool) async throws {
    let clock = ManualClock()
    let calls = Log<Int>()
    let value = RenewingValue<Int>(pauseAfterFailure: .seconds(20), clock: clock) { _ in
      calls(1)
      throw BackendError(call: calls.entries.count)
    }
    await #expect(throws: BackendError(call: 1)) { try await value.value() }
    if isReplaced { value.replace(with: Renewed(1, validFor: .zero)) } else { value.clear() }
    await #expect(throws: BackendError(call: 2)) { try await value.value() }
  }

  /// Fails if: a renewal waits for itself, or the error does not say so; or a report does not show who drains.
  @Test func drainingInsideARenewal() async throws {
    let box = Log<RenewingValue<Int>>()
    let value = RenewingValue<Int>(name: "draining") { _ in
      try await box.entries[0].drain()
      return Renewed(1, validFor: .seconds(1))
    }
    box(value)
    do {
      _ = try await value.value()
      Issue.record("a renewal has waited for itself")
    } catch JobRejection.deadlock(let deadlock) {
      #expect(deadlock.path == ["draining", "draining"])
    }
  }
}
