import CoalescingTasks
import Foundation
import Testing

/// Calls back when it is released.
final class Loud: Sendable {
  let deinitialised: @Sendable () -> Void
  init(_ deinitialised: @escaping @Sendable () -> Void) { self.deinitialised = deinitialised }
  deinit { deinitialised() }
}

/// A key that calls back when it is described, and when it is released.
final class LoudKey: Hashable, CustomStringConvertible, Sendable {
  let id: Int
  let described: @Sendable () -> Void
  let released: @Sendable () -> Void

  init(_ id: Int, described: @escaping @Sendable () -> Void = {}, released: @escaping @Sendable () -> Void = {}) {
    (self.id, self.described, self.released) = (id, described, released)
  }

  deinit { released() }

  var description: String {
    described()
    return "\(id)"
  }

  static func == (one: LoudKey, other: LoudKey) -> Bool { one.id == other.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// Keys, values and errors call the library when they are released or compared, and no lock is held then, or this hangs or traps.
///
/// Closures, events and handlers are in the table of promises (`captured`), descriptions in `ForeignNameTests`.
@Suite(.watched) struct ForeignCodeTests {
  /// Fails if: a key of a job is released under the lock, or stays with the line.
  @Test func keysOfJobs() async throws {
    let (executor, gone) = (KeyedSerialTaskExecutor<LoudKey>(), Log<Int>())
    let key: @Sendable (Int) -> LoudKey = { id in LoudKey(id, released: { gone(executor.snapshot.waiting) }) }
    for id in 0..<50 {
      executor.submit(for: key(id)) {}
      let held = await Held(executor, key(id))
      try await held.release()
    }
    try await executor.drain()
    executor.cancelAll(for: key(1))
    #expect(!executor.isInJob(for: key(1)))
    try await until { gone.entries.count == 102 }
  }

  /// Fails if: a key, a read or a result is released under the lock of the line.
  @Test func keysAndResultsOfReads() async throws {
    let (executor, gone) = (CoalescingTaskExecutor<LoudKey>(name: "notes"), Log<Int>())
    let make: @Sendable (Int) -> LoudKey = { id in LoudKey(id, released: { gone(executor.snapshot.waiting) }) }
    for round in 0..<20 {
      let gate = Gate()
      let read = { (result: Int) in
        reading(executor, make(1)) {
          await gate.pass()
          return make(result)
        }
      }
      let first = read(100)
      let write = writing(executor) {}
      let others = [read(200), read(300)]
      if round % 4 != 3 { write.cancel() }
      if round % 4 == 1 { others[0].cancel() }
      if round % 4 == 2 { executor.cancelAll() }
      gate.open()
      for read in [first] + others { _ = await read.result }
      _ = await write.result
    }
    try await executor.drain()
    try await until { gone.entries.count >= 80 }
  }

  /// Fails if: a key, or a result that was stored, is released under the lock, whatever ends it, or a result is kept longer.
  @Test func keysAndResultsOfFlights() async throws {
    let (clock, keys, results) = (ManualClock(), Log<Int>(), Log<Int>())
    let coalescer = TaskCoalescer<LoudKey, Loud>(clock: clock)
    let key: @Sendable (Int) -> LoudKey = { id in LoudKey(id, released: { keys(coalescer.snapshot.running) }) }
    func prefetch(_ id: Int) {
      coalescer.prefetch(key(id), expiresAfter: .seconds(60)) { Loud { results(coalescer.snapshot.running) } }
    }
    let ends: [@Sendable () async throws -> Void] = [
      { coalescer.invalidate(key(1)) }, { coalescer.invalidateAll() }, { coalescer.cancel(key(1)) },
      { coalescer.cancelAll() }, { _ = try await coalescer.value(for: key(1)) { Loud {} } },
      {
        clock.advance(by: .seconds(61))
        _ = try await coalescer.value(for: key(1)) { Loud {} }
      },
      {
        clock.advance(by: .seconds(61))
        coalescer.prefetch(key(1), expiresAfter: .seconds(60)) { Loud {} }
        coalescer.invalidateAll()
      },
    ]
    for (number, end) in ends.enumerated() {
      prefetch(1)
      try await coalescer.drain()
      try await end()
      try await until { results.entries.count == number + 1 }
    }
    // By a later store, and a later call for another key.
    for id in 0..<100 {
      prefetch(id)
      clock.advance(by: .seconds(61))
    }
    #expect(results.entries.count > ends.count + 50)
    await #expect(throws: CancellationError.self) {
      try await coalescer.value(for: key(-1)) { throw CancellationError() }
    }
    try await until { results.entries.count == ends.count + 100 }
    #expect(keys.entries.count >= 100)
  }

  private struct LoudError: Error { let loud: Loud }

  private func fails(_ token: RenewingValue<Loud>) async {
    await #expect(throws: LoudError.self) { try await token.value() }
  }

  /// Fails if: a value is released under the lock, by a renewal or by `clear`; or an error that is kept for a pause, by another, a value
  /// from elsewhere, `clear` or `close`.
  @Test func valuesAndErrorsOfRenewals() async throws {
    let (clock, gone, own) = (ManualClock(), Log<RenewingSnapshot>(), Log<RenewingValue<Loud>>())
    let isBroken = Lock(false)
    let token = RenewingValue<Loud>(pauseAfterFailure: .seconds(1), clock: clock) { _ in
      let loud = Loud { for token in own.entries { gone(token.snapshot) } }
      if isBroken.withLock(\.self) { throw LoudError(loud: loud) }
      return Renewed(loud, validFor: .seconds(60))
    }
    own(token)
    func expectGone(_ count: Int) async throws { try await until { gone.entries.count == count } }
    _ = try await token.value()
    clock.advance(by: .seconds(60))
    _ = try await token.value()
    try await expectGone(1)
    token.clear()
    try await expectGone(2)
    isBroken.withLock { $0 = true }
    await fails(token)
    clock.advance(by: .seconds(1))
    await fails(token)
    try await expectGone(3)
    token.replace(with: Renewed(Loud {}, validFor: .zero))
    try await expectGone(4)
    await fails(token)
    token.clear()
    try await expectGone(5)
    await fails(token)
    token.close()
    try await expectGone(6)
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

  /// Fails if: values are compared under the lock.
  @Test func valuesAreCompared() async throws {
    let (own, renewals) = (Log<RenewingValue<Nosy>>(), Log<Void>())
    let token = RenewingValue<Nosy> { _ in
      Renewed(Nosy(id: renewals.add(()) + 1, own: own), validFor: .seconds(60))
    }
    own(token)
    let first = try await token.value()
    #expect(try await token.value(insteadOf: first).id == 2)
    #expect(try await token.value(insteadOf: first).id == 2)
  }

  /// Fails if: a renewal behind a call runs inside that call, and delays it until it suspends.
  @Test func aRenewalBehindACallNeverRunsInsideIt() async throws {
    let (clock, found) = (ManualClock(), Log<Bool>())
    let inside = Lock<ObjectIdentifier?>(nil)
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
}

private func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
