import Testing

@testable import SerialTasks

/// Every decision of a line, against the rule, in random histories.
///
/// The state is tested alone, without tasks: a history of forty steps takes microseconds, so many cases are met that no test
/// through the API would meet.
@Suite(.watched) struct LineStateTests {
  /// Fails if: any decision of the state is not that of the rule; `LineHistory` says at which step of which seed, and what.
  @Test func randomHistories() {
    var met: [String: Int] = [:]
    // Some are new in each run.
    for seed in Array(0..<700) + (0..<300).map({ _ in UInt64.random(in: 1_000...(.max)) }) {
      var history = LineHistory(seed: seed)
      history.play(40)
      if let breach = history.breach { return #expect(Bool(false), "seed \(seed), \(breach)") }
      met.merge(history.met, uniquingKeysWith: +)
    }
    let cases = [
      "nested", "draft", "read", "whole", "write", "passes", "drain", "kept", "replaced", "withdrawn", "raised",
    ]
    for name in cases { #expect(met[name] ?? 0 > 50, "\(name) is hardly met") }
  }

  /// Random histories hardly come to this.
  ///
  /// Fails if: a write that has its turn and has not begun is replaced by one that comes behind a call made inside another turn.
  @Test func aNestedCallBehindAWrite() {
    let line = KeyedLine<Int>(name: "line", type: .keyedSerialTaskExecutor)
    let (outer, write, nested) = (Job(), Job(), Job())
    nested.kind = .nested
    for (job, key) in [(outer, 1), (write, 2), (nested, 2)] {
      _ = line.locked { state in
        var effects = Effects()
        line.keys.prepare(job, touching: .one(StableKey(key)), &state)
        return state.arrive(job, &effects)
      }
    }
    #expect(line.locked { !write.isWaiting && !$0.isNewest(write) })
    _ = line.locked { $0.leave(nested, .cancelled) }
    #expect(line.locked { $0.isNewest(write) })
  }
}
