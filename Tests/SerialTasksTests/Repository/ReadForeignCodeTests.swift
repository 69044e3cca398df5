import CoalescingTasks
import Synchronization
import Testing

/// What a repository calls that is not its own (`hash(into:)`, `==`, and the `deinit` of keys and results) may call the executor,
/// is called as seldom as can be, and nothing is kept that has been answered.
@Suite(.watched) struct ReadForeignCodeTests {
  /// Its deinit asks the executor, which takes the lock of the line.
  private final class Asking: Hashable, Sendable {
    let id: Int
    let ends: @Sendable () -> Void

    init(_ id: Int, ends: @escaping @Sendable () -> Void) {
      self.id = id
      self.ends = ends
    }

    deinit { ends() }

    static func == (left: Asking, right: Asking) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// Fails if: a key, a read or a result is released under the lock of the line (then this traps or hangs).
  @Test func keysAndResultsMayAskTheExecutorAtTheirEnd() async throws {
    let executor = CoalescingTaskExecutor<Asking>(name: "notes")
    let ends = Mutex(0)
    let make: @Sendable (Int) -> Asking = { id in
      Asking(id) {
        _ = executor.snapshot
        ends.withLock { $0 += 1 }
      }
    }
    for round in 0..<20 {
      let held = Gate()
      let first = reading(executor, make(1)) {
        await held.pass()
        return make(100)
      }
      let write = writing(executor) {}
      let second = reading(executor, make(1)) {
        await held.pass()
        return make(200)
      }
      let third = reading(executor, make(1)) { make(300) }
      if round % 4 != 3 { write.cancel() }
      if round % 4 == 1 { second.cancel() }
      if round % 4 == 2 { executor.cancelAll() }
      held.open()
      for read in [first, second, third] { _ = await read.result }
      _ = await write.result
    }
    try await executor.drain()
    #expect(ends.withLock { $0 } >= 80)
  }

  /// Fails if: a younger equal read that came next to it keeps the older one, and what it read, until it ends.
  @Test func anAnsweredReadKeepsNothing() async throws {
    final class Result: Sendable {}
    let executor = CoalescingTaskExecutor<Int>(name: "notes")
    let (first, second) = (Gate(), Gate())
    weak var result: Result?
    do {
      let older = reading(executor, 7) {
        await first.pass()
        return Result()
      }
      let write = writing(executor) {}
      let younger = reading(executor, 7) { () -> Result in
        await second.pass()
        return Result()
      }
      write.cancel()
      _ = await write.result
      await second.arrived()
      first.open()
      result = try await older.value
      _ = younger
    }
    try await until { result == nil }
    #expect(executor.snapshot.running == 1)
    second.open()
    try await executor.drain()
  }

  /// Its hash and `==` are counted.
  private struct Counted: Hashable, Sendable {
    let id: Int
    let count: Counter

    static func == (left: Counted, right: Counted) -> Bool {
      left.count.add()
      return left.id == right.id
    }
    func hash(into hasher: inout Hasher) {
      count.add()
      hasher.combine(id)
    }
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)
    func add() { value.withLock { $0 += 1 } }
    var total: Int { value.withLock { $0 } }
  }

  /// A write that leaves between reads brings them together without touching them.
  ///
  /// With n writes cancelled from the back, each leaving used to move and to hash every read behind it: 31 s for 4 000. Fails
  /// if: a key is hashed or compared when a write leaves; or, by taking minutes, if the reads behind it are moved one by one
  /// to the reads before it.
  @Test(arguments: [false, true]) func leavingMovesNothing(fromTheBack: Bool) async throws {
    let many = 5_000
    let (counter, gate) = (Counter(), Gate())
    let executor = CoalescingTaskExecutor<Counted>(name: "notes")
    let held = Task.immediate { try await executor.write { await gate.pass() } }
    var (reads, writes): ([Task<Int, any Error>], [SubmittedJob<Void>]) = ([], [])
    for number in 0..<many {
      reads.append(reading(executor, Counted(id: number, count: counter)) { number })
      writes.append(executor.submitWrite {})
    }
    let before = counter.total
    for write in fromTheBack ? writes.reversed() : writes { write.cancel() }
    #expect(counter.total == before)
    #expect(executor.snapshot.waiting == many)
    gate.open()
    try await held.value
    for (number, read) in reads.enumerated() { #expect(try await read.value == number) }
  }
}
