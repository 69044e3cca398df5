import SerialTasksFenced
import SerialTasksTesting

/// An engine behind the seam: it grants a key to one process at a time, and may delay, fail, lose access, go away and come back.
///
/// It hears of cancellation only between its steps, as an engine does that talks to another machine.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class FencedEngine: ExclusiveAccess, @unchecked Sendable {
  struct Failure: Error { let number: Int }

  /// What happens to one request.
  struct Plan {
    let delay: Int
    var fails = false
    var losesAfter: Int?
    var failsToRelease = false

    init(_ random: inout SplitMix, isReliable: Bool) {
      delay = random.below(3)
      if isReliable { return }
      fails = random.once(in: 5)
      losesAfter = random.once(in: 5) ? random.below(4) : nil
      failsToRelease = random.once(in: 8)
    }
  }

  private struct Record {
    /// That of the last grant, and the process that has it, if it is in force.
    var number: UInt64 = 0
    var holder: Int?
    var lost: Set<UInt64> = []
    var waiting: [UnsafeContinuation<Void, Never>] = []
    /// Opened when the next one comes to wait.
    var listener = Gate()
  }

  let world: World
  private let plans: [Plan]
  private var keys: [String: Record] = [:]
  private var asked = 0
  /// The keys for which a process has sent a request that has not come to its end.
  private var requests: [Int: Set<String>] = [:]
  private var failures = 0
  /// The keys that failures were of, by their numbers.
  private(set) var failed: [Int: String] = [:]
  /// Whether it never fails, and processes get a key in the order in which they have asked.
  private let isReliable: Bool
  /// Whether it says when another asks.
  private let hears: Bool
  /// Whether a grant may be kept: then its task waits inside the library, and is cancelled there.
  private let isCalm: Bool
  var isAway = false
  /// The processes that have promised not to ask.
  var silent: Set<Int> = []

  init(_ world: World, isCalm: Bool, isReliable: Bool = false) {
    (self.world, self.isCalm, self.isReliable) = (world, isCalm, isReliable)
    plans = (0..<(isReliable ? 5 : 8)).map { _ in Plan(&world.random, isReliable: isReliable) }
    hears = world.random.once(in: 2)
  }

  /// Whether a process asks or has access.
  var isBusy: Bool { !requests.values.allSatisfy(\.isEmpty) || keys.values.contains { $0.holder != nil } }

  func isAsked(by process: Int = 0) -> Bool { !requests[process, default: []].isEmpty }

  func isHeld(_ key: String, by process: Int) -> Bool { keys[key]?.holder == process }

  /// The number of the grant that the process holds.
  func number(of key: String, heldBy process: Int) -> UInt64? { isHeld(key, by: process) ? keys[key]!.number : nil }

  /// Whether this number is the one that is in force, and was not lost.
  func isInForce(_ number: UInt64, of key: String) -> Bool { keys[key]?.number == number && keys[key]?.holder != nil }

  func wasLost(_ number: UInt64, of key: String) -> Bool { keys[key]?.lost.contains(number) == true }

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws { try await withAccess(to: key, for: 0, turn) }

  nonisolated(nonsending) func withAccess(
    to key: String, for process: Int, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let plan = plans[asked % plans.count]
    asked += 1
    world.note("process \(process)", "asks for", key)
    world.expect(!silent.contains(process), "no access is asked for in a pause", "\(key) by process \(process)")
    world.expect(requests[process, default: []].insert(key).inserted, "a key has one request at a time", key)
    defer {
      world.note("process \(process)", "is done with", key)
      requests[process]!.remove(key)
    }
    await world.steps(plan.delay)
    if plan.fails || isAway {
      failures += 1
      failed[failures] = key
      world.note("engine", "fails", "\(failures)")
      throw Failure(number: failures)
    }
    let number = try await acquire(key, process)
    defer { release(number, of: key) }
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
      guard let number = try? await acquire(key, 1) else { break }
      held.append((key, number))
      await world.steps(steps)
    }
    for (key, number) in held { release(number, of: key) }
  }

  private func acquire(_ key: String, _ process: Int) async throws -> UInt64 {
    while let holder = keys[key, default: Record()].holder {
      if holder != process { world.meet("a request waits for another process") }
      let listener = keys[key]!.listener
      keys[key]!.listener = Gate()
      await withUnsafeContinuation {
        keys[key]!.waiting.append($0)
        listener.open()
      }
    }
    try Task.checkCancellation()
    keys[key, default: Record()].number += 1
    keys[key]!.holder = process
    world.note("process \(process)", "has", "\(key) \(keys[key]!.number)")
    return keys[key]!.number
  }

  private func release(_ number: UInt64, of key: String) {
    guard isInForce(number, of: key) else { return }
    world.note("engine", "ends", "\(key) \(number)")
    keys[key]!.holder = nil
    let waiting = keys[key]!.waiting.prefix(isReliable ? 1 : .max)
    keys[key]!.waiting.removeFirst(waiting.count)
    for continuation in waiting { continuation.resume() }
  }

  /// Another process may have the key now, and its holder does not know.
  private func lose(_ number: UInt64, of key: String) {
    guard isInForce(number, of: key) else { return }
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
