import CoalescingTasks
import Testing

/// Keys that a dictionary does not find again: nothing crashes, stays, or is miscounted for one.
@Suite(.watched) struct UnreliableKeyTests {
  /// Not equal to itself if it is no number; else what it is equal to, and its hash, may change while it is in use.
  private final class Odd: Hashable, Sendable {
    private let now: Lock<Double>

    init(_ now: Double = .nan) { self.now = Lock(now) }

    func move(to next: Double) { now.withLock { $0 = next } }

    static func == (left: Odd, right: Odd) -> Bool { left.now.withLock(\.self) == right.now.withLock(\.self) }
    func hash(into hasher: inout Hasher) { hasher.combine(now.withLock(\.self)) }
  }

  enum Kind: CaseIterable, Sendable { case jobs, flights, flightsWithAWindow, reads }

  /// An executor, and a call for a key.
  private struct Subject: Sendable {
    let call: @Sendable (Odd, @escaping @Sendable () async -> Void) async throws -> Void
    /// How many jobs or operations run, and how much the table has.
    let running: @Sendable () -> [Int]
    let owner: any Drainable

    init(_ kind: Kind) {
      switch kind {
      case .jobs:
        let executor = KeyedSerialTaskExecutor<Odd>(name: "places")
        call = { try await executor.enqueue(for: $0, $1) }
        (running, owner) = ({ [executor.snapshot.running, executor.line.size.busy] }, executor)
      case .flights, .flightsWithAWindow:
        let coalescer = TaskCoalescer<Odd, Void>(joinWindow: kind == .flights ? nil : .seconds(60))
        call = { try await coalescer.value(for: $0, $1) }
        (running, owner) = ({ [coalescer.snapshot.running, coalescer.snapshot.waiting] }, coalescer)
      case .reads:
        let executor = CoalescingTaskExecutor<Odd>(name: "notes")
        call = { try await executor.read($0, $1) }
        (running, owner) = ({ [executor.snapshot.running, executor.snapshot.running] }, executor)
      }
    }

    func hold(_ key: Odd, _ gate: Gate) -> Task<Void, any Error> {
      Task.immediate { try await call(key) { await gate.pass() } }
    }
  }

  /// Alone, and beside a job of another key, so that the key is not taken together with the line.
  ///
  /// Fails if: what such a key has is looked for by the key alone when it ends, leaves or is withdrawn; or such a read is shared, or keeps
  /// its key.
  @Test(arguments: Kind.allCases) func aKeyThatIsNotEqualToItself(_ kind: Kind) async throws {
    let (subject, gate, others) = (Subject(kind), Gate(), Gate())
    weak var gone: Odd?
    for _ in 0..<100 { try await subject.call(Odd()) {} }
    try await until { subject.running() == [0, 0] }
    let held = subject.hold(Odd(1), gate)
    for _ in 0..<100 { try await subject.call(Odd()) {} }
    try await until { subject.running() == [1, 1] }
    do {
      let key = Odd()
      gone = key
      let calls = (0..<10).map { _ in subject.hold(key, others) }
      await others.waitForArrivals(10)
      #expect(subject.running() == [11, 11])
      calls[9].cancel()
      others.open()
      for call in calls.dropLast() { try await call.value }
      _ = await calls[9].result
    }
    try await until { gone == nil && subject.running() == [1, 1] }
    subject.owner.cancelAll()
    gate.open()
    _ = await held.result
    try await subject.owner.drain()
    #expect(subject.running() == [0, 0])
  }

  /// Fails if: the table hashes or compares anew what it holds: then it loses lines, or the dictionary traps when it grows.
  @Test(arguments: Kind.allCases) func aKeyWhoseHashChanges(_ kind: Kind) async throws {
    let (subject, gate) = (Subject(kind), Gate())
    let keys = (0..<200).map { Odd(Double($0)) }
    let held = keys.map { subject.hold($0, gate) }
    await gate.waitForArrivals(200)
    for (number, key) in keys.enumerated() { key.move(to: Double(number + 1_000)) }
    // Equal to those, and so many that the table grows.
    let others = (0..<600).map { subject.hold(Odd(Double($0 + 1_000)), gate) }
    await gate.waitForArrivals(800)
    #expect(subject.running() == [800, 800])
    gate.open()
    for task in held + others { try await task.value }
    try await subject.owner.drain()
    #expect(subject.running() == [0, 0])
  }

  /// Fails if: what was prefetched for such a key is not swept away like everything else.
  @Test func whatIsPrefetchedForSuchKeysExpires() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Odd, Int>(clock: clock)
    for number in 0..<100 { coalescer.prefetch(Odd(), expiresAfter: .seconds(10)) { number } }
    #expect(coalescer.snapshot.stored == 100)
    coalescer.invalidate(Odd())
    clock.advance(by: .seconds(11))
    #expect(try await coalescer.value(for: Odd()) { 1 } == 1)
    #expect(coalescer.shelved == 0)
  }
}
