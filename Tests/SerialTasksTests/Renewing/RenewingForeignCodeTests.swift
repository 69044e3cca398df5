import CoalescingTasks
import Foundation
import Synchronization
import Testing

/// What a renewing value calls that is not its own (`==`, the `deinit` of values, completions) may call it, and what it lets go
/// of is let go outside its lock.
@Suite(.watched) struct RenewingForeignCodeTests {
  private func make(
    _ clock: ManualClock, _ gone: Log<RenewingSnapshot>, _ own: Log<RenewingValue<Loud>>
  ) -> RenewingValue<Loud> {
    let token = RenewingValue<Loud>(clock: clock) { _ in
      Renewed(Loud { for token in own.entries { gone(token.snapshot) } }, validFor: .seconds(60))
    }
    own(token)
    return token
  }

  /// Fails if: the old value is let go under the lock, by a renewal or by `clear`. (Then this hangs or traps.)
  @Test func whatIsReplacedOrClearedIsLetGoOutsideTheLock() async throws {
    let (clock, gone, own) = (ManualClock(), Log<RenewingSnapshot>(), Log<RenewingValue<Loud>>())
    let token = make(clock, gone, own)
    _ = try await token.value()
    clock.advance(by: .seconds(60))
    _ = try await token.value()
    try await until { gone.entries.count == 1 }
    token.clear()
    try await until { gone.entries.count == 2 }
  }

  /// Fails if: a renewal behind a call runs inside that call, and delays it until it suspends.
  @Test func aRenewalBehindACallNeverRunsInsideIt() async throws {
    let (clock, found) = (ManualClock(), Log<Bool>())
    let inside = Mutex<ObjectIdentifier?>(nil)
    let value = RenewingValue<Int>(renewAhead: .seconds(50), clock: clock) { previous in
      if previous != nil { found(inside.withLock { $0 == thread() }) }
      return Renewed(1, validFor: .seconds(60))
    }
    for round in 0..<100 {
      _ = try await value.value()
      if round == 0 { clock.advance(by: .seconds(20)) }
      // It is valid, so this does not suspend.
      inside.withLock { $0 = thread() }
      _ = try await value.value()
      inside.withLock { $0 = nil }
      try await value.drain()
      clock.advance(by: .seconds(20))
    }
    #expect(found.entries.count >= 50 && !found.entries.contains(true))
  }

  private struct LoudError: Error { let loud: Loud }

  /// Fails if: an error that is kept for a pause is let go under the lock, by another failure, a value from elsewhere, `clear` or
  /// `close`. (Then this hangs or traps.)
  @Test func anErrorIsLetGoOutsideTheLock() async throws {
    let (clock, gone, own) = (ManualClock(), Log<RenewingSnapshot>(), Log<RenewingValue<Int>>())
    let token = RenewingValue<Int>(pauseAfterFailure: .seconds(1), clock: clock) { _ in
      throw LoudError(loud: Loud { for token in own.entries { gone(token.snapshot) } })
    }
    own(token)
    func fail() async { await #expect(throws: LoudError.self) { try await token.value() } }
    await fail()
    clock.advance(by: .seconds(1))
    await fail()
    try await until { gone.entries.count == 1 }
    token.replace(with: Renewed(1, validFor: .zero))
    try await until { gone.entries.count == 2 }
    await fail()
    token.clear()
    try await until { gone.entries.count == 3 }
    await fail()
    token.close()
    try await until { gone.entries.count == 4 }
  }

  /// Fails if: a renewal that has landed keeps its value, or its `RenewingValue`.
  @Test func nothingIsLeft() async throws {
    weak var token: RenewingValue<Loud>?
    let gone = Log<Int>()
    do {
      let value = RenewingValue<Loud> { _ in Renewed(Loud { gone(1) }, validFor: .seconds(60)) }
      _ = try await value.value()
      token = value
    }
    try await until { token == nil && gone.entries == [1] }
  }

  /// Fails if: a renewal does not keep its `RenewingValue` until it has ended, or keeps it after that.
  @Test func aRenewalKeepsItsValueUntilItHasEnded() async throws {
    let issuer = Issuer(isHeld: true)
    let results = Log<Int>()
    weak var dropped: RenewingValue<Int>?
    do {
      let token = RenewingValue<Int> { try await issuer.renew($0) }
      token.value { results((try? $0.get()) ?? -1) }
      dropped = token
    }
    #expect(dropped != nil)
    issuer.answer(1)
    try await until { dropped == nil }
    #expect(results.entries == [1])
  }

  /// A value that looks at its owner whenever it is compared.
  private struct Nosy: Equatable, Sendable {
    let id: Int
    let own: Log<RenewingValue<Nosy>>

    static func == (left: Nosy, right: Nosy) -> Bool {
      for token in left.own.entries { _ = token.snapshot }
      return left.id == right.id
    }
  }

  /// Fails if: values are compared under the lock. (Then this hangs or traps.)
  @Test func valuesAreComparedOutsideTheLock() async throws {
    let (own, issuer) = (Log<RenewingValue<Nosy>>(), Issuer())
    let token = RenewingValue<Nosy> { old in
      let renewed = try await issuer.renew(old?.id)
      return Renewed(Nosy(id: renewed.value, own: own), validFor: renewed.validity)
    }
    own(token)
    let first = try await token.value()
    let second = try await token.value(insteadOf: first)
    #expect(second.id == 2)
    #expect(try await token.value(insteadOf: first).id == 2)
  }

  /// Renewals whose renewals ask for other values: not all of them fit on one stack.
  @Test func renewalsMayNestToAnyDepth() async throws {
    @Sendable func make(_ depth: Int) -> RenewingValue<Int> {
      RenewingValue { _ in
        Renewed(depth == 0 ? 0 : try await make(depth - 1).value() + 1, validFor: .seconds(60))
      }
    }
    #expect(try await make(10_000).value() == 10_000)
  }
}

private func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
