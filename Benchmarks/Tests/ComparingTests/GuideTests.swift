import Testing

@testable import Comparing
@testable import Mix

@Suite struct GuideTests {
  private let guide = Guide(
    [.init("enqueue", "What it <is>.", conclusion: "What to make of it.")], library: ["ours", "ours too"])

  private func findings(_ rounds: [(String, [Double])]) async -> [Finding] {
    await play([.sample(depth: 10, rounds.map { ($0.0, [1, 1, 1, 1]) }), .sample(depth: 1_000, rounds)]).findings
  }

  // Fails if: the sentence is not about the greatest depth, or takes a baseline, or the library itself, for another way.
  @Test func theSentenceComparesTheLibraryWithTheFloorAndTheFastestOther() async {
    let found = await findings([
      ("floor", [2, 2, 2, 2]), ("ours too", [9, 9, 9, 9]), ("ours", [4, 4, 4, 4]), ("slow", [8, 8, 8, 8]),
      ("other", [6, 6, 6, 6]),
    ])
    #expect(
      guide.sentence(found)
        == "At depth 1 000, ours took 4.00 ns, 2.00 × floor; the fastest other way, other, 6.00 ns.")
  }

  @Test func withoutTheLibraryThereIsNothingToSay() async {
    #expect(guide.sentence(await findings([("floor", [1, 1, 1, 1])])) == nil)
    #expect(guide.sentence([]) == nil)
  }

  // Fails if: a colour stands for two candidates, or the library's line does not stand out.
  @Test func everyCandidateHasALookOfItsOwn() async {
    let names = ["floor", "ours", "ours too"] + (1...9).map { "other \($0)" }
    let contests = [10, 100].map { depth in Contest.sample(depth: depth, names.map { ($0, []) }) }
    let text = Page(title: "t", program: "p", guide: guide, outcome: await play(contests)).text
    let looks = Set(text.matches(of: /<li class="([a-z]+ [a-z]+[0-9])">/).map(\.1))
    #expect(looks.count == names.count)
    #expect(looks.filter { $0.hasPrefix("library ") }.count == 2)
    #expect(looks.filter { $0.hasPrefix("baseline ") }.count == 1)
    for look in looks { #expect(PageStyle.sheet.contains(".\(look.split(separator: " ")[1]) { --own")) }
    let colours = PageStyle.sheet.split(separator: "}")[0].matches(of: /--[a-z]+[0-9]: (#[0-9a-f]+)/).map(\.1)
    #expect(colours.count == 15)
    #expect(Set(colours).count == colours.count)
  }

  // Fails if: the table or the page does not say what a workload is and what to conclude.
  @Test func whatAWorkloadMeansIsSaidWhereItsFiguresAre() async {
    let outcome = await play([.sample([("floor", []), ("ours", [])])])
    let table = Table(outcome, guide: guide).text
    for words in ["ENQUEUE: What it <is>.", "To conclude: What to make of it.", "» ours", "At depth 10, ours took"] {
      #expect(table.contains(words), "\(words)")
    }
    let page = Page(title: "t", program: "p", guide: guide, outcome: outcome).text
    for words in ["What it &lt;is&gt;.", "What to make of it.", "At depth 10, ours took"] {
      #expect(page.contains(words), "\(words)")
    }
  }

  // Fails if: the hot keys are not hot, or write as often as the others.
  @Test func hotKeysAreAskedForMostOfTheTime() {
    #expect(Call.hot.count == 1_000)
    #expect((150...250).contains(Call.hot.count { $0.key == 0 }))
    #expect((5...20).contains(Call.hot.count(where: \.isWrite)))
    #expect(Call.hot.allSatisfy { (0..<100).contains($0.key) })
    #expect((80...120).contains(Call.all.count(where: \.isWrite)))
    #expect(Call.all.count { $0.key == 0 } < 25)
  }
}
