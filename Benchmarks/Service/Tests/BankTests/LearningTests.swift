import Bank
import Foundation
import Testing

/// The statement that the articles show, with which a store learns the number of a fence.
@Suite struct LearningTests {
  private static let article = "Sources/SerialTasksFenced/Documentation.docc/BeyondOneProcess.md"
  private static let comment = "Sources/SerialTasksFenced/Fence.swift"

  /// Reads the statements of a page letter for letter, without what stands before each line of a comment.
  private func lines(of page: String) throws -> [String] {
    let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
    return text.split(separator: "\n").map { $0.drop { "/ ".contains($0) }.description }
  }

  private func statement(_ page: String) throws -> String {
    let lines = try lines(of: page)
    let first = try #require(lines.firstIndex { $0.hasPrefix("INSERT INTO fences") })
    let last = try #require(lines[first...].firstIndex { $0.hasPrefix("WHERE fences.number <= excluded.number") })
    return lines[first...last].joined(separator: "\n")
  }

  /// Fails if: SQLite or PostgreSQL does not understand the statement of a page, changes no row for a number that is not lower than
  /// the last, or changes one for a lower number.
  @Test(arguments: Backend.present, [article, comment])
  func theStatementOfThePagesRefusesLowerNumbers(_ backend: Backend, _ page: String) async throws {
    let table = try #require(try lines(of: LearningTests.article).first { $0.hasPrefix("CREATE TABLE fences") })
    var statement = try statement(page)
    // What PostgreSQL calls them, and the store here.
    for name in ["$1", "$2"] { statement.replaceSubrange(try #require(statement.range(of: "?")), with: name) }
    let learning = statement + " RETURNING number"
    try await backend.withStore { _, database in
      try await database.transaction { _ = try await $0.rows(table, []) }
      func learn(_ number: Int) async throws -> Int {
        try await database.transaction { try await $0.rows(learning, ["one", "\(number)"]).count }
      }
      for (number, changed) in [(5, 1), (4, 0), (5, 1), (6, 1), (5, 0)] { #expect(try await learn(number) == changed) }
      #expect(try await database.rows("SELECT number FROM fences", []) == [["6"]])
    }
  }
}
