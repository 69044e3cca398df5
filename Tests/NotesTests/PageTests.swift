import Foundation
import Testing

@testable import notes

@Suite(.watched) struct PageTests {
  private func page(_ run: Run, title: String = "t") -> String {
    HTMLPage(panels: [
      Panel(
        title: title, introduction: "", timeline: Played.timeline(run), mood: .right, finding: "f", details: ["d"])
    ]).text
  }

  // Fails if: a text reaches the page unescaped, in an element or in an attribute.
  @Test func textsOfOthersStayTexts() {
    let evil = "\"><script>alert('1')</script>&\u{0}"
    let run = Run(way: .actor, calls: [Played.call(1, .add(1, text: evil), started: 0, finished: 1)])
    let text = page(run, title: evil)
    #expect(!text.contains("<script"))
    #expect(text.contains("&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;\u{FFFD}"))
  }

  @Test func thePageNeedsNothingButItself() {
    let text = page(Played.reads(3))
    for word in ["http://", "https://", "src=", "<link", "@import", "url("] { #expect(!text.contains(word)) }
    for word in ["prefers-color-scheme: dark", "default-src 'none'", "lang=\"en\""] { #expect(text.contains(word)) }
  }

  @Test(arguments: [1, 7, 60, 61, 3000]) func everyCallHasItsRowAndItsTimes(count: Int) {
    let text = page(Played.reads(count))
    #expect(text.components(separatedBy: "<tr class=\"read\" title=").count - 1 == count)
    #expect(text.contains("<svg") == (count > 60))
    #expect(text.components(separatedBy: "<details").count - 1 == (count > 60 ? (count + 49) / 50 : 0))
    for tag in ["table", "tr", "td", "th", "section", "details", "svg", "figure", "ul", "p", "span"] {
      let opened = text.components(separatedBy: "<\(tag)>").count + text.components(separatedBy: "<\(tag) ").count - 2
      #expect(opened == text.components(separatedBy: "</\(tag)>").count - 1, "<\(tag)>")
    }
  }

  @Test func aPartShowsWhereItsCallsRunAndNotAllTheyWaited() {
    let rows = Array(Played.timeline(Played.reads(1000)).rows[500..<550])
    let window = HTMLChart.window(of: rows)
    #expect(abs(window.start - 4.9) < 1e-9)
    #expect(abs(window.end - 5.5) < 1e-9)
  }

  @Test func nothingIsDrawnOutsideOfItsWindow() {
    let window = Window(start: 2, end: 4)
    #expect([1, 2, 3, 4, 5].map(window.position) == [0, 0, 0.5, 1, 1])
    #expect(Window(start: 0, end: 0).position(0) == 0)
  }

  @Test func theOverviewCountsThoseWhoWaitAtTheSameMoment() {
    let overview = Overview(Played.timeline(Played.reads(10)), stretches: 10)
    #expect(overview.mostWaiting == 9)
    let hill = overview.stretches.map(\.waiting)
    #expect(hill.first == 9)
    #expect(hill == hill.sorted(by: >))
    #expect(hill[5] == 4 || hill[5] == 5)
    #expect(overview.stretches.allSatisfy { $0.hasRead && !$0.hasWrite })
    #expect(Overview(Timeline(rows: []), stretches: 4).mostWaiting == 0)
  }
}
