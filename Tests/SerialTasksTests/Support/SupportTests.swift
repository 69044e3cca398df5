import Testing

/// The helpers must be right before a test that uses them means anything.
@Suite(.watched) struct SupportTests {
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
