import Testing

/// Each cell of the table of guarantees is held by a test.
struct GuaranteeTests {
  /// Fails if: a test that the table names is renamed or removed, or a cell names none.
  @Test func eachCellNamesTestsThatExist() throws {
    let article = try #require(
      try Page.all(in: "Sources/SerialTasks/Documentation.docc", "Guarantees.md").first)
    let tests = try Page.all(in: "Tests/SerialTasksTests", "Tests.swift")
    var rows = 0
    for line in article.lines where line.hasPrefix("| **") {
      rows += 1
      let cells = line.split(separator: "|").map(String.init).dropFirst().filter { $0.contains { $0 != " " } }
      #expect(cells.count == 5, "a row has a cell for each type: \(line.prefix(30))")
      for cell in cells {
        let named = cell.matches(of: #/`(?<suite>\w+Tests)\.(?<function>\w+)`/#)
        #expect(!named.isEmpty, "nothing holds “\(cell)”")
        for name in named {
          let (suite, function) = (name.output.suite, name.output.function)
          let exists = tests.contains { page in
            page.lines.contains { $0.contains("struct \(suite)") && $0.hasSuffix("{") }
              && page.lines.contains { $0.contains("@Test") && $0.contains("func \(function)(") }
          }
          #expect(exists, "there is no test \(suite).\(function)")
        }
      }
    }
    #expect(rows == 10)
  }
}
