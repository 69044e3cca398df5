import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

/// A call that closes a cycle, and is withdrawn before it is rejected for that: stories have no moment between the two.
@Suite(.watched) struct WithdrawnInACycleTests {
  /// Fails if: a call that was withdrawn while its cycle was found is rejected for the cycle too.
  @Test func itHasOneEnd() async throws {
    let log = EventLog()
    let keyed = KeyedSerialTaskExecutor<ClearingKey>(name: "keys", onEvent: log.handler)
    let key = ClearingKey(keyed)
    try await keyed.enqueue(for: key) {
      _ = await #expect(throws: JobRejection.withdrawn) { try await keyed.enqueue(for: key, name: "inner") {} }
    }
    let ends = log.entries.filter { $0.job == "inner" }.compactMap {
      if case .rejected(let why) = $0.kind { why } else { nil }
    }
    #expect(ends == [.withdrawn])
  }
}

/// A key whose description withdraws what waits.
private final class ClearingKey: Hashable, Sendable, CustomStringConvertible {
  private let keyed: KeyedSerialTaskExecutor<ClearingKey>

  init(_ keyed: KeyedSerialTaskExecutor<ClearingKey>) { self.keyed = keyed }

  static func == (left: ClearingKey, right: ClearingKey) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {}

  var description: String {
    if keyed.snapshot.waiting > 0 { keyed.cancelAll() }
    return "y"
  }
}
