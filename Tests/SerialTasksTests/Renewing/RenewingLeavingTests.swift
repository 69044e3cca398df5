import SerialTasks
import Testing

/// Each caller leaves for itself, and a renewal runs to its end; only `clear` ends it before.
@Suite(.watched) struct RenewingLeavingTests {
  let token = IssuedToken(isHeld: true)

  private func expectCancelled(_ call: Task<Int, any Error>) async {
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  /// Keeps 1 for a minute.
  private func keep() async throws {
    let first = token.asking()
    token.issuer.answer(1)
    _ = try await first.value
  }

  /// There is nothing to wait for, and so nothing to leave.
  ///
  /// Fails if: a cancelled task is refused a valid value, or starts a renewal near its end.
  @Test func aCancelledCallerIsGivenAValidValue() async throws {
    let token = IssuedToken(renewAhead: 10)
    _ = try await token.value.value()
    for _ in 1...2 {
      let call = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await token.value.value()
      }
      #expect(try await call.value == 1)
      token.advance(by: 55)
    }
    #expect(token.issuer.calls == 1)
    #expect(token.value.snapshot.running == 0)
  }

  /// ```
  /// callers   ├─ wait ─ cancelled ┤
  /// renewal   ├────────────────────────── returns 1
  /// later                                     1, at once
  /// ```
  /// Fails if: the renewal is cancelled when the last caller leaves, or what it returns is lost.
  @Test func aRenewalRunsToItsEndWhoeverLeaves() async throws {
    let calls = (1...3).map { _ in token.asking() }
    for call in calls { call.cancel() }
    for call in calls { await expectCancelled(call) }
    #expect(token.value.snapshot == RenewingSnapshot(waiting: 0, running: 1))
    token.issuer.answer(1)
    try await token.settled()
    #expect(try await token.value.value() == 1)
    #expect(token.issuer.cancelled.isEmpty)
    #expect(token.issuer.calls == 1)
  }

  /// Fails if: who comes after all others have left starts another renewal.
  @Test func aRenewalThatEverybodyHasLeftIsJoined() async throws {
    let call = token.asking()
    call.cancel()
    await expectCancelled(call)
    let late = token.asking()
    token.issuer.answer(1)
    #expect(try await late.value == 1)
    #expect(token.issuer.calls == 1)
  }

  /// The caller is cancelled by its own renewal, before that has suspended: before there is a handle to cancel it by.
  ///
  /// Fails if: a cancellation that comes before the caller has parked is lost, or ends the renewal.
  @Test func theCallerIsCancelledWhileItsRenewalBegins() async throws {
    let own = Log<Task<Int, any Error>>()
    let (start, end) = (Gate(), Gate())
    let token = RenewingValue<Int> { _ in
      for caller in own.entries { caller.cancel() }
      await end.pass()
      return Renewed(Task.isCancelled ? -1 : 1, validFor: .seconds(60))
    }
    let caller = Task {
      await start.pass()
      return try await token.value()
    }
    own(caller)
    start.open()
    await expectCancelled(caller)
    end.open()
    #expect(try await token.value() == 1)
  }

  /// Fails if: `clear` keeps the value, or the next renewal is given it.
  @Test func whatIsClearedIsForgotten() async throws {
    try await keep()
    token.value.clear()
    #expect(token.value.snapshot == RenewingSnapshot())
    let next = token.asking()
    token.issuer.answer(2)
    #expect(try await next.value == 2)
    #expect(token.issuer.given == [nil, nil])
  }

  /// ```
  /// callers      ├─ wait ─ withdrawn ┤
  /// renewal 1    ├──────── cancelled ──────────── returns, and is discarded
  /// new caller                   ├─ renewal 2 ─────────── 2 ┤
  /// ```
  /// Fails if: callers wait for a renewal that was cleared, it goes on as if it were wanted, what it returns is kept, or later
  /// callers join it.
  @Test func whatIsRenewedWhenItIsClearedIsDiscarded() async throws {
    let calls = (1...3).map { _ in token.asking() }
    token.value.clear()
    for call in calls { await #expect(throws: JobRejection.withdrawn) { try await call.value } }
    let new = token.asking()
    #expect(token.issuer.calls == 2)
    token.issuer.answer(1)
    try await until { token.issuer.cancelled == [1] }
    try await token.events.first { $0.endsARenewal && $0.place == 1 }
    #expect(token.value.snapshot == RenewingSnapshot(waiting: 1, running: 1))
    token.issuer.answer(2)
    #expect(try await new.value == 2)
    #expect(try await token.value.value() == 2)
    #expect(token.issuer.cancelled == [1])
  }

  @Test func clearingNothingIsNothing() async throws {
    token.value.clear()
    try await keep()
    #expect(try await token.value.value() == 1)
  }
}

extension TaskEvent {
  /// Whether the renewal is over.
  var endsARenewal: Bool {
    switch kind {
    case .finished, .failed, .rejected: true
    default: false
    }
  }
}
