import Foundation
import Testing

/// The promises beside the table, which `Tests/PROMISES.md` lists by hand.
@Suite(.watched) struct GuaranteeTests {
  /// Fails if: a promise names no test, or one that is renamed or removed.
  @Test(arguments: [
    ("Beyond one process", "Tests/SerialTasksFencedTests", 12), ("What production sees", "Tests/SerialTasksTests", 5),
    ("Limits and shutting down", "Tests/SerialTasksTests", 6),
  ])
  func eachNamesTestsThatExist(title: String, folder: String, count: Int) throws {
    let promises = try Page(Page.root.appending(path: "Tests/PROMISES.md"))
    let tests = try [folder, "Tests/PromiseTests"].flatMap { try Page.all(in: $0, "Tests.swift") }
    let section = promises.lines.drop { $0 != "## \(title)" }.dropFirst().prefix { !$0.hasPrefix("#") }
    let rows = section.filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count >= count)
    for row in rows {
      let named = row.matches(of: #/`(?<suite>\w+Tests)\.(?<function>\w+)`/#)
      #expect(!named.isEmpty, "\(row) names no test")
      for name in named {
        let (suite, function) = (name.output.suite, name.output.function)
        #expect(tests.contains { $0.holds(suite, function) }, "there is no test \(suite).\(function)")
      }
    }
  }

  /// Fails if: CONTRIBUTING names a test that `swift test --filter` does not find, such as a folder, or a suite that is renamed.
  @Test func eachSuiteOfContributingExists() throws {
    let page = try Page(Page.root.appending(path: "CONTRIBUTING.md"))
    let suites = try Page.all(in: "Tests", "Tests.swift").flatMap { file in
      file.lines.flatMap { $0.matches(of: #/struct (?<suite>\w+Tests) /#).map { String($0.output.suite) } }
    }
    let targets = try FileManager.default.contentsOfDirectory(atPath: Page.root.appending(path: "Tests").path)
    let section = page.lines.drop { $0 != "## Bug in X, look at test Y" }.dropFirst().prefix { !$0.hasPrefix("#") }
    let named = section.filter { $0.hasPrefix("| ") }.flatMap { row in
      row.matches(of: #/`(?<name>[^`]+)`/#).map { String($0.output.name) }.filter { !$0.hasPrefix("explore ") }
    }
    #expect(named.count > 15)
    for name in named { #expect(suites.contains(name) || targets.contains(name), "no filter finds \(name)") }
  }
}

extension Page {
  fileprivate func holds(_ suite: Substring, _ function: Substring) -> Bool {
    lines.contains { $0.contains("struct \(suite) ") }
      && lines.indices.contains { index in
        lines[index].contains("func \(function)(") && lines[max(0, index - 2)...index].contains { $0.contains("@Test") }
      }
  }
}
