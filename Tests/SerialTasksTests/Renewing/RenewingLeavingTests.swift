import CoalescingTasks
import Testing

/// Each caller leaves for itself, and a renewal runs to its end; only `clear` ends it before.
@Suite(.watched) struct RenewingLeavingTests {
  let token = IssuedToken(isHeld: true)

  private func expectCancelled(_ call: Task<Int, any Error>) async {
    await #expect(throws: CancellationError.self) { try await call.value }
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
