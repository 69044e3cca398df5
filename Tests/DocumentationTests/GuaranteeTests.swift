import Testing

/// Each cell of the table of guarantees is verified by a test.
@Suite(.watched) struct GuaranteeTests {
  static let types = [
    "SerialTaskExecutor", "KeyedSerialTaskExecutor", "TaskCoalescer", "CoalescingTaskExecutor", "Reloader",
    "RenewingValue",
  ]

  /// Fails if: a promise names no test for one of the types, or one that is renamed or removed.
  @Test func eachCellHasTestsThatExist() throws {
    let article = try #require(try Page.all(in: "Sources/SerialTasks/Documentation.docc", "Guarantees.md").first)
    let promises = try Page(Page.root.appending(path: "Tests/PROMISES.md"))
    let tests = try Self.tests(in: "Tests/SerialTasksTests")
    let rows = article.lines.filter { $0.hasPrefix("| **") }.map { $0.split(separator: "|").map(trimmed) }
    #expect(rows.count == 10)
    for row in rows {
      #expect(row.count == 7 && row.allSatisfy { !$0.isEmpty }, "\(row[0]) has a cell for each type")
      let section = promises.lines.drop { $0 != "### \(row[0].filter { $0 != "*" })" }.dropFirst().prefix {
        !$0.hasPrefix("#")
      }
      for type in Self.types {
        let line = try #require(section.first { $0.hasPrefix("- `\(type)`: ") }, "\(row[0]) of \(type) has no test")
        let named = line.matches(of: #/`(?<suite>\w+Tests)\.(?<function>\w+)`/#)
        #expect(!named.isEmpty, "\(row[0]) of \(type) names no test")
        for name in named {
          let (suite, function) = (name.output.suite, name.output.function)
          #expect(tests.contains { $0.holds(suite, function) }, "there is no test \(suite).\(function)")
        }
      }
    }
  }

  /// A test that cites a promise names a row and a type of *Guarantees*, or a row of the README.
  ///
  /// Fails if: a row is renamed and a comment of the tests still has its old name.
  @Test func theTestsCiteRowsThatExist() throws {
    let guarantees = try #require(try Page.all(in: "Sources/SerialTasks/Documentation.docc", "Guarantees.md").first)
    let readme = try Page(Page.root.appending(path: "README.md"))
    let tests = try Page.all(in: "Tests/SerialTasksTests", "Tests.swift")
    var cited = 0
    for test in tests {
      let text = test.docComments.lines.joined(separator: " ")
      let citation =
        #/
        (?<page>Guarantees|README),\ (?<rows>\*[^*]+\*(?:(?:,|\ and|\ to)\ \*[^*]+\*)*)
        (?:\ of\ `(?<type>\w+)`)?
        /#
      for (_, page, rows, type) in text.matches(of: citation).map(\.output) {
        let lines = (page == "README" ? readme : guarantees).lines
        for row in rows.matches(of: #/\*([^*]+)\*/#).map(\.output.1) {
          let isThere = lines.contains { $0.hasPrefix("| **\(row)** | ") || $0.hasPrefix("- [**\(row).**](") }
          #expect(isThere, "\(test.name): \(page) has no row \(row)")
        }
        #expect(page == "README" || Self.types.contains(String(type ?? "")), "\(test.name): \(rows) of which type?")
        cited += 1
      }
    }
    #expect(cited >= 10)
  }

  /// Fails if: a promise between processes, or to those who look, names no test, or one that is renamed or removed.
  @Test(arguments: [
    ("Beyond one process", "Tests/SerialTasksFencedTests", 12), ("What production sees", "Tests/SerialTasksTests", 5),
    ("Limits and shutting down", "Tests/SerialTasksTests", 6),
  ])
  func promisesBesideTheTableNameTestsThatExist(title: String, folder: String, count: Int) throws {
    let promises = try Page(Page.root.appending(path: "Tests/PROMISES.md"))
    let tests = try Self.tests(in: folder)
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

  /// The tests of the folder, and those of all calls.
  private static func tests(in folder: String) throws -> [Page] {
    try Page.all(in: folder, "Tests.swift") + Page.all(in: "Tests/PromiseTests", "Tests.swift")
  }

  private func trimmed(_ cell: Substring) -> String {
    String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

extension Page {
  fileprivate func holds(_ suite: Substring, _ function: Substring) -> Bool {
    lines.contains { $0.contains("struct \(suite) ") }
      && lines.contains { $0.contains("@Test") && $0.contains("func \(function)(") }
  }
}
