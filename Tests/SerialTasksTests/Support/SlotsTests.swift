import SerialTasksTesting
import TestWatch
import Testing

/// How many tests run at a time.
@Suite(.watched) struct SlotsTests {
  /// Fails if: more run at a time than there are slots, one that ends lets no other begin, or not the first that came.
  @Test func asManyAsThereAreSlots() async throws {
    let (slots, log) = (Slots(2), Log<Int>())
    let gates = (0..<4).map { _ in Gate() }
    let tests = gates.indices.map { number in
      Task.immediate {
        try await slots.run {
          log(number)
          await gates[number].pass()
        }
      }
    }
    #expect(log.entries == [0, 1])
    gates[1].open()
    await gates[2].waitForArrivals()
    #expect(log.entries == [0, 1, 2])
    for gate in gates { gate.open() }
    for test in tests { try await test.value }
    #expect(log.entries == [0, 1, 2, 3])
  }

  /// Fails if: a test that is watched twice waits for the slot that it has, or one that throws keeps it.
  @Test func oneInsideAnother() async throws {
    let slots = Slots(1)
    for _ in 0..<2 {
      await #expect(throws: CancellationError.self) {
        try await slots.run { try await slots.run { throw CancellationError() } }
      }
    }
  }
}
