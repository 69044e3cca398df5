import Testing

/// The helpers must be right before a test that uses them means anything.
@Suite(.watched) struct SupportTests {
  @Test func aGateHoldsUntilItIsOpened() async {
    let gate = Gate()
    let log = Log<String>()
    let task = Task {
      await gate.pass()
      log("passed")
    }
    await gate.arrived()
    log("opening")
    gate.open()
    await task.value
    await gate.pass()
    #expect(log.entries == ["opening", "passed"])
  }

  @Test func aGateCountsArrivals() async {
    let gate = Gate()
    let tasks = (0..<3).map { _ in Task { await gate.pass() } }
    await gate.arrived(3)
    gate.open()
    for task in tasks { await task.value }
  }

  @Test func exclusionNoticesAnOverlap() {
    let exclusion = Exclusion()
    exclusion.enter()
    exclusion.enter()
    exclusion.leave()
    exclusion.leave()
    exclusion.enter()
    #expect(exclusion.most == 2)
    #expect(exclusion.entries == 3)
  }
}
