import SerialTasksFenced

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

/// One of several processes before an engine.
struct FencedProcess: ExclusiveAccess {
  let engine: FencedEngine
  let number: Int

  nonisolated(nonsending) func withAccess(
    to key: HesitantKey, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws { try await engine.withAccess(to: key.name, for: number, turn) }

  nonisolated(nonsending) func waitUntilAnotherAsks(for key: HesitantKey, under fence: Fence) async throws {
    try await engine.waitUntilAnotherAsks(for: key.name, under: fence)
  }
}
