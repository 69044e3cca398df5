import SerialTasksFenced
import SerialTasksTesting

/// A key at whose hash another thread may be faster, as wherever the library calls what is not its own.
struct HesitantKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  let name: String
  let world: World

  var description: String { name }

  static func == (left: HesitantKey, right: HesitantKey) -> Bool { left.name == right.name }
  static func < (left: HesitantKey, right: HesitantKey) -> Bool { left.name < right.name }

  func hash(into hasher: inout Hasher) {
    world.point()
    hasher.combine(name)
  }
}

/// An engine that several processes share: it grants a key to one of them at a time, in the order in which they have asked.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class FencedMachine: @unchecked Sendable {
  struct Process: ExclusiveAccess {
    let machine: FencedMachine
    let number: Int
  }

  private struct Record {
    var number: UInt64 = 0
    var holder: Int?
    var waiting: [UnsafeContinuation<Void, Never>] = []
    /// Opened when a request comes to wait.
    var listener = Gate()
  }

  let world: World
  private let delays: [Int]
  private let hears: Bool
  /// Whether a grant may be kept: then its task waits inside the library, and is cancelled there.
  private let isCalm: Bool
  private var keys: [String: Record] = [:]
  private var requests: [Int: Int] = [:]
  private var asked = 0
  /// The processes that have promised not to ask.
  var silent: Set<Int> = []

  init(_ world: World, isCalm: Bool) {
    (self.world, self.isCalm) = (world, isCalm)
    delays = (0..<5).map { _ in world.random.below(3) }
    hears = world.random.once(in: 2)
  }

  func isHeld(_ key: String, by process: Int) -> Bool { keys[key]?.holder == process }

  /// The number of the grant that the process holds.
  func number(of key: String, heldBy process: Int) -> UInt64? { isHeld(key, by: process) ? keys[key]!.number : nil }

  /// Whether the process has sent a request that has not come to its end.
  func isBusy(_ process: Int) -> Bool { requests[process] ?? 0 > 0 }
}

extension FencedMachine.Process {
  nonisolated(nonsending) func withAccess(
    to key: HesitantKey, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    try await machine.withAccess(to: key.name, for: number, turn)
  }

  nonisolated(nonsending) func waitUntilAnotherAsks(for key: HesitantKey, under fence: Fence) async throws {
    try await machine.waitUntilAnotherAsks(for: key.name)
  }
}

extension FencedMachine {
  fileprivate nonisolated(nonsending) func withAccess(
    to key: String, for process: Int, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let delay = delays[asked % delays.count]
    asked += 1
    requests[process, default: 0] += 1
    defer { requests[process]! -= 1 }
    world.note("process \(process)", "asks for", key)
    world.expect(!silent.contains(process), "no access is asked for in a pause", "\(key) by process \(process)")
    await world.steps(delay)
    let number = try await acquire(key, process)
    world.note("process \(process)", "has", key)
    defer { release(key, process) }
    try await world.calmly(isCalm) { try await turn(Fence(number: number) { [world] in world.point() }) }
    await world.steps(delay)
  }

  fileprivate nonisolated(nonsending) func waitUntilAnotherAsks(for key: String) async throws {
    if hears, !keys[key]!.waiting.isEmpty { return }
    try await (hears ? keys[key]!.listener : Gate()).passUnlessCancelled()
  }

  private func acquire(_ key: String, _ process: Int) async throws -> UInt64 {
    if keys[key] == nil { keys[key] = Record() }
    while let holder = keys[key]!.holder {
      if holder != process { world.meet("a request waits for another process") }
      let listener = keys[key]!.listener
      keys[key]!.listener = Gate()
      await withUnsafeContinuation {
        keys[key]!.waiting.append($0)
        listener.open()
      }
    }
    try Task.checkCancellation()
    keys[key]!.number += 1
    keys[key]!.holder = process
    return keys[key]!.number
  }

  private func release(_ key: String, _ process: Int) {
    world.note("process \(process)", "releases", key)
    keys[key]!.holder = nil
    if keys[key]!.waiting.isEmpty { return }
    keys[key]!.waiting.removeFirst().resume()
  }
}
