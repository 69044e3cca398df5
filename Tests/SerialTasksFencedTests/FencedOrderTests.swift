import SerialTasks
import SerialTasksFenced
import Testing

/// Keys of several processes under `potentialDeadlocks`.
@Suite(.watched) struct FencedOrderTests {
  let executor = FencedSerialTaskExecutor(name: "fenced", access: Engine())

  /// Takes two keys, one inside the turn of the other.
  private func take(_ first: String, _ second: String) async throws {
    try await executor.enqueue(for: first, name: "take \(first)") { _ in
      try await executor.enqueue(for: second, name: "then \(second)") { _ in }
    }
  }

  /// Fails if: a turn of a key is not held, a request for one is not noted, or the ring does not name both keys.
  @Test func keysInOppositeOrders() async throws {
    let found = try await potentialDeadlocks {
      for _ in 1...2 {
        try await take("ann", "bob")
        try await take("bob", "ann")
      }
    }
    #expect(found.map(\.path) == [["fenced[ann]", "fenced[bob]", "fenced[ann]"]])
    #expect(
      found.first?.requests == [
        PotentialDeadlock.Request(held: "fenced[ann]", holder: "take ann", wanted: "fenced[bob]", job: "then bob"),
        PotentialDeadlock.Request(held: "fenced[bob]", holder: "take bob", wanted: "fenced[ann]", job: "then ann"),
      ])
  }

  /// Fails if: one order is enough, or two that wait for one key count as a ring.
  @Test func keysInOneOrder() async throws {
    let found = try await potentialDeadlocks {
      try await take("ann", "bob")
      try await take("bob", "carl")
      try await take("ann", "carl")
    }
    #expect(found.isEmpty)
  }
}
