import Foundation
import Testing

@testable import Comparing

@Suite struct ReportTests {
  private func report() async -> Report {
    Report(program: "queue-depth", await play([.sample([("floor", []), ("way", [])])]))
  }

  @Test func survivesItsOwnCheck() async throws {
    let report = await report()
    #expect(try Report.decode(report.encoded()) == report)
  }

  // Fails if: a field that is not described, or one that is missing, or a value that cannot be, is accepted.
  @Test(arguments: [
    ("\"candidate\" :", "\"nickname\" :"), ("\"rounds\" : 3", "\"rounds\" : 0"), ("\"median\" : 1", "\"median\" : 2"),
    ("\"formatVersion\" : 1", "\"formatVersion\" : 2"), ("\"cores\"", "\"kernels\""),
    ("\"context\" : \"pool\"", "\"context\" : \"pond\""), ("\"max\" : 1", "\"max\" : 1, \"mean\" : 1"),
  ])
  func rejects(_ right: String, _ wrong: String) async throws {
    let text = String(decoding: try await report().encoded(), as: UTF8.self)
    #expect(text.contains(right))
    #expect(throws: (any Error).self) { try Report.decode(Data(text.replacing(right, with: wrong).utf8)) }
  }
}

@Suite struct PageTests {
  // Fails if: the page asks for anything else, or shows a name as markup.
  @Test func needsNothingElse() async {
    let contests = [1, 10].map { Contest.sample(depth: $0, [("floor", []), ("<way>", [])]) }
    let page = Page(title: "a & b", program: "p", guide: Guide(), outcome: await play(contests)).text
    for mark in ["http", "src=", "<script", "url(", "<way>", "<nobody>"] { #expect(!page.contains(mark), "\(mark)") }
    #expect(page.contains("&lt;way&gt;") && page.contains("a &amp; b") && page.contains("<polyline"))
  }
}
