import SerialTasksFenced
import SerialTasksTesting

/// An engine behind the seam that delays, fails, loses access, goes away and comes back; and another process that it serves.
///
/// It hears of cancellation only between its steps, as an engine does that talks to another machine.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class FencedEngine: ExclusiveAccess, @unchecked Sendable {
  struct Failure: Error { let number: Int }

  /// What happens to one request.
  struct Plan {
    let delay: Int
    let fails: Bool
    let losesAfter: Int?
    let failsToRelease: Bool

    init(_ random: inout SplitMix) {
      delay = random.below(3)
      fails = random.once(in: 5)
      losesAfter = random.once(in: 5) ? random.below(4) : nil
      failsToRelease = random.once(in: 8)
    }
  }

  private struct Record {
    var number: UInt64 = 0
    /// Opened when the next one comes to wait.
    var listener = Gate()
    /// The number of the grant that is in force.
    var holder: UInt64?
    var lost: Set<UInt64> = []
    /// The executor's requests that have not come to their end.
    var requests = 0
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  let world: World
  private let plans: [Plan]
  private var keys: [String: Record] = [:]
  private var requests = 0
  private var failures = 0
  /// The keys that failures were of, by their numbers.
  private(set) var failed: [Int: String] = [:]
  /// The keys that other processes have.
  private var elsewhere: Set<String> = []
  /// Whether it says when another asks.
  private let hears: Bool
  private let isCalm: Bool
  var isAway = false

  init(_ world: World, isCalm: Bool) {
    (self.world, self.isCalm) = (world, isCalm)
    plans = (0..<8).map { _ in Plan(&world.random) }
    hears = world.random.once(in: 2)
  }

  /// Whether the executor, or another process, asks or has access.
  var isBusy: Bool { keys.values.contains { $0.requests > 0 || $0.holder != nil } }

  /// Whether the executor has sent a request that is not over.
  var isAsked: Bool { keys.values.contains { $0.requests > 0 } }

  /// Whether this number is the one that is in force, and was not lost.
  func isInForce(_ number: UInt64, of key: String) -> Bool { keys[key]?.holder == number }

  func isHeldElsewhere(_ key: String) -> Bool { elsewhere.contains(key) }

  func wasLost(_ number: UInt64, of key: String) -> Bool { keys[key]?.lost.contains(number) == true }

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let plan = plans[requests % plans.count]
    requests += 1
    keys[key, default: Record()].requests += 1
    world.note("engine", "is asked for", key)
    world.expect(keys[key]!.requests == 1, "a key has one request at a time", key)
    defer {
      world.note("engine", "is done with", key)
      keys[key]!.requests -= 1
    }
    await world.steps(plan.delay)
    if plan.fails || isAway {
      failures += 1
      failed[failures] = key
      world.note("engine", "fails", "\(failures)")
      throw Failure(number: failures)
    }
    let number = try await acquire(key)
    let losing = plan.losesAfter.map { steps in
      world.spawn("loss of \(key) \(number)") { [self] in
        await world.steps(steps)
        lose(number, of: key)
      }
    }
    // When access is released that may be kept, the executor cancels a task that waits inside the library.
    try await world.calmly(isCalm) { try await turn(Fence(number: number) { [self] in try check(number, of: key) }) }
    await losing?.value
    await world.steps(plan.delay)
    release(number, of: key)
    if plan.failsToRelease { throw Failure(number: 0) }
  }

  nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
    if hears, !keys[key]!.waiting.isEmpty { return }
    try await (hears ? keys[key]!.listener : Gate()).passUnlessCancelled()
    world.meet("the engine heard that another asks")
  }

  /// What another process does, with keys that it asks for one after the other.
  func serveAnother(_ keys: [String], steps: Int) async {
    var held: [(key: String, number: UInt64)] = []
    for key in keys {
      guard let number = try? await acquire(key) else { break }
      world.note("another process", "has", "\(key) \(number)")
      held.append((key, number))
      elsewhere.insert(key)
      await world.steps(steps)
    }
    for (key, number) in held {
      elsewhere.remove(key)
      release(number, of: key)
    }
  }

  private func acquire(_ key: String) async throws -> UInt64 {
    if keys[key] == nil { keys[key] = Record() }
    while keys[key]!.holder != nil {
      let listener = keys[key]!.listener
      keys[key]!.listener = Gate()
      await withUnsafeContinuation {
        keys[key]!.waiting.append($0)
        listener.open()
      }
    }
    try Task.checkCancellation()
    keys[key]!.number += 1
    keys[key]!.holder = keys[key]!.number
    return keys[key]!.number
  }

  private func release(_ number: UInt64, of key: String) {
    guard keys[key]!.holder == number else { return }
    keys[key]!.holder = nil
    let waiting = keys[key]!.waiting
    keys[key]!.waiting = []
    for continuation in waiting { continuation.resume() }
  }

  /// Another process may have the key now, and its holder does not know.
  private func lose(_ number: UInt64, of key: String) {
    guard keys[key]!.holder == number else { return }
    world.note("engine", "loses", "\(key) \(number)")
    keys[key]!.lost.insert(number)
    release(number, of: key)
  }

  private func check(_ number: UInt64, of key: String) throws {
    // Another thread may be faster, as wherever the library calls what is not its own.
    world.point()
    if wasLost(number, of: key) { throw AccessError.lost(number: number, reason: "the engine lost it") }
  }
}
