import SerialTasks
import Testing

/// Explores every sequence of events up to a length, and holds the table against a model that is too simple to be
/// wrong.
@Suite(.watched) struct KeyedLineTableTests {
  /// Fails if: a line is taken from a key that is used, serves two keys or is made though one is spare, a key stays
  /// when its last user has gone, a user is counted twice or not at all, or a drain ends early, twice or never.
  @Test func everyShortHistoryAgreesWithTheModel() {
    var explored = 0
    func explore(_ history: [KeyedTableModel.Event]) {
      var run = KeyedTableRun()
      for event in history { run.apply(event) }
      explored += 1
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        return
      }
      if history.count == Effort.number(short: 5, full: 6) { return }
      for event in run.model.possibleEvents { explore(history + [event]) }
    }
    explore([])
    #expect(explored > Effort.number(short: 1_000, full: 10_000))
  }

  /// However many keys were busy at once, little is kept of it.
  ///
  /// Fails if: every line that was ever used is kept, or the dictionary keeps the room that it once needed.
  @Test func afterABurstTheTableIsAsSmallAsItBegan() {
    var table = KeyedLineTable<Int>()
    var lines: [KeyedLine<Int>] = []
    for key in 0..<10_000 {
      let line = KeyedLine<Int>(owner: ObjectIdentifier(Self.self), name: nil, capacity: nil, onEvent: nil)
      table.adopt(line, for: StableKey(key))
      lines.append(line)
    }
    for (key, line) in lines.enumerated() {
      if case .busy = table.leave(line) { Issue.record("\(key) is still busy") }
      table.checkInvariants()
    }
    let (busy, capacity, spares) = (table.lines.count, table.lines.capacity, table.spares.count)
    #expect(busy == 0)
    #expect(capacity <= 64)
    #expect(spares == KeyedLineTable<Int>.mostSpares)
  }
}
