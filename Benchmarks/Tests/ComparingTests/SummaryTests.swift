import Testing

@testable import Comparing

@Suite struct SummaryTests {
  // Fails if: the middle of an even number of values is one of them.
  @Test func medianOfAnEvenNumber() {
    let summary = Summary([4, 1, 2, 3])
    #expect(summary.median == 2.5)
    #expect((summary.min, summary.max) == (1, 4))
  }

  @Test func medianOfAnOddNumber() { #expect(Summary([9, 1, 2]).median == 2) }
}
