import CoalescingTasks
import Testing

/// Races on the threads of the pool.
@Suite(.serialized, .watched) struct RenewingRaceTests {
  /// The newest value that any call has returned.
  private final class Newest: Sendable {
    private let value = Lock(0)
    let breaches = Log<String>()

    func ask(_ call: () async throws -> Int) async throws -> Int {
      let floor = floor()
      let seen = try await call()
      note(seen, floor)
      return seen
    }

    @inline(never)
    private func floor() -> Int { value.withLock { $0 } }

    @inline(never)
    private func note(_ seen: Int, _ floor: Int) {
      if seen < floor { breaches("\(seen) after \(floor)") }
      value.withLock { $0 = max($0, seen) }
    }
  }

  /// *Never an older value after a newer one*: a renewal that was too old to be joined returns when its successor does.
  ///
  /// Others ask in the same moment. No call may return less than any call had returned before it began.
  ///
  /// ```
  /// old      ├─ renewal 1 ───────────── now! ─ returns ┤
  /// newer           ├─ renewal 2 ────── now! ─ returns ┤
  /// readers                            ├ value ├ value(insteadOf: 1) ├ value
  /// ```
  /// Fails if: what an overtaken renewal returns is kept or answers anybody, or a read is of anything but the newest.
  @Test func nobodySeesAnOlderValueAfterANewerOne() async throws {
    let (clock, issuer, newest) = (ManualClock(), Issuer(isHeld: true), Newest())
    let token = RenewingValue<Int>(joinWindow: .seconds(10), clock: clock) { try await issuer.renew($0) }
    var overtaken = 0
    var rounds = Rounds(20_000)
    while let round = rounds.next(bothWays: overtaken > 0 && overtaken < rounds.played) {
      clock.advance(by: .seconds(60))
      let (old, newer) = (2 * round + 1, 2 * round + 2)
      let first = Task.immediate { try await newest.ask { try await token.value() } }
      clock.advance(by: .seconds(10))
      let second = Task.immediate { try await newest.ask { try await token.value() } }
      let reader = Task {
        _ = try await newest.ask { try await token.value() }
        _ = try await newest.ask { try await token.value(insteadOf: old) }
        return try await newest.ask { try await token.value() }
      }
      issuer.answer(round.isMultiple(of: 2) ? old : newer)
      issuer.answer(round.isMultiple(of: 2) ? newer : old)
      if try await first.value == newer { overtaken += 1 }
      #expect(try await second.value == newer)
      #expect(try await reader.value == newer)
      #expect(try await newest.ask { try await token.value() } == newer)
    }
    #expect(newest.breaches.entries.isEmpty)
    #expect(issuer.calls == 2 * rounds.played)
    #expect(rounds.met(overtaken > 0 && overtaken < rounds.played), "\(overtaken) of \(rounds.played): that is no race")
  }

  /// *Clear against landing*: what was renewed before `clear` is not returned to callers that come after it.
  ///
  /// Fails if: a renewal that lands just after `clear` is kept, or its caller is resumed twice or never.
  @Test func clearAgainstLanding() async throws {
    let issuer = Issuer(isHeld: true)
    let token = RenewingValue<Int> { try await issuer.renew($0) }
    var withdrawn = 0
    var rounds = Rounds(5_000)
    while let round = rounds.next(bothWays: withdrawn > 0 && withdrawn < rounds.played) {
      let before = 2 * round + 1
      let caller = Task.immediate { try await token.value() }
      issuer.answer(before)
      for _ in 0..<round % 50 { _ = token.snapshot }
      token.clear()
      let next = Task.immediate { try await token.value() }
      issuer.answer(before + 1)
      #expect(try await next.value == before + 1)
      switch await caller.result {
      case .success(let value): #expect(value == before)
      case .failure(let error):
        #expect(error as? JobRejection == .withdrawn)
        withdrawn += 1
      }
      #expect(try await token.value() == before + 1)
      token.clear()
    }
    #expect(rounds.met(withdrawn > 0 && withdrawn < rounds.played), "\(withdrawn) of \(rounds.played): that is no race")
  }
}
