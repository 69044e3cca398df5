import Foundation
import Testing

/// The part of `Tests/PROMISES.md` that is made from the table, so that it cannot say what is not run.
enum Guarantees {
  static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "PROMISES.md")
  static let begin = "## Each promise of each way\n"
  static let end = "## Limits and shutting down\n"

  static var types: [String] {
    var types: [String] = []
    for way in Way.all where !types.contains(way.type) { types.append(way.type) }
    return types
  }

  /// The section, with its title.
  static var section: String {
    var lines = [
      begin,
      "Each row is one test, which is run for each call of each type: for all overloads, with and without names, observed and not.",
      "A number says for how many of a type's calls; the list below says why not for the others. `swift test --filter PromiseTests`",
      "runs them, and `SERIALTASKS_WRITE=1 swift test --filter GuaranteesTests` writes this section.",
      "",
      "| promise | test | " + types.map { "`\($0)`" }.joined(separator: " | ") + " |",
      "|---|---|" + types.map { _ in "---|" }.joined(),
    ]
    for promise in Promise.allCases {
      let cells = types.map { type in
        let all = Way.all.filter { $0.type == type }
        let kept = all.filter { promise.exemption($0) == nil }.count
        return kept == all.count ? "all \(kept)" : kept == 0 ? "–" : "\(kept) of \(all.count)"
      }
      lines.append("| \(promise.sentence) | `\(promise.rawValue)` | " + cells.joined(separator: " | ") + " |")
    }
    lines += ["", "### Why a promise is not made of a call", ""]
    var reasons: [(why: String, promises: [Promise])] = []
    for promise in Promise.allCases {
      for why in Way.all.compactMap(promise.exemption) {
        let index = reasons.firstIndex { $0.why == why } ?? reasons.count
        if index == reasons.count { reasons.append((why, [])) }
        if reasons[index].promises.last != promise { reasons[index].promises.append(promise) }
      }
    }
    for reason in reasons {
      lines.append("- \(reason.why): " + reason.promises.map { "`\($0.rawValue)`" }.joined(separator: ", "))
    }
    lines += ["", "### The calls", ""]
    for type in types {
      let calls = Way.all.filter { $0.type == type }.map { "`\($0.label)`" }
      lines.append("- `\(type)`: " + calls.joined(separator: ", "))
    }
    return lines.joined(separator: "\n") + "\n\n"
  }
}

@Suite(.watched) struct GuaranteesTests {
  /// Fails if: `Tests/PROMISES.md` is not what the table says; `SERIALTASKS_WRITE=1` writes it.
  @Test func thePageIsMadeFromTheTable() throws {
    let page = try String(contentsOf: Guarantees.path, encoding: .utf8)
    let begin = try #require(page.range(of: Guarantees.begin)).lowerBound
    let end = try #require(page.range(of: Guarantees.end)).lowerBound
    if ProcessInfo.processInfo.environment["SERIALTASKS_WRITE"] == "1" {
      try (page[..<begin] + Guarantees.section + page[end...]).write(
        to: Guarantees.path, atomically: true, encoding: .utf8)
    } else {
      #expect(page[begin..<end] == Guarantees.section)
    }
  }

  /// Fails if: a row of the table has no test, and is said to be run all the same.
  @Test func everyPromiseIsRun() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "PromiseTests.swift")
    let text = try String(contentsOf: tests, encoding: .utf8)
    let test =
      #/Promise\.(\w+)\.ways\) func (\w+)\(_ way: Way\) async throws \{\s*try await Promise\.(\w+)\.check\(way\)/#
    let run = text.matches(of: test)
    #expect(run.map(\.output.1) == run.map(\.output.2))
    #expect(run.map(\.output.1) == run.map(\.output.3))
    #expect(Set(run.map { String($0.output.1) }) == Set(Promise.allCases.map(\.rawValue)))
  }

  /// Fails if: a public call that hands in or awaits work is missing in the table.
  @Test func everyCallIsInTheTable() throws {
    let sources = Guarantees.path.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var found: Set<String> = []
    for case let file as URL in files
    where file.pathExtension == "swift" && !file.lastPathComponent.contains("WrongCalls") {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard let type = Guarantees.types.first(where: { file.lastPathComponent.hasPrefix($0) }) else { continue }
      let call = #/  public [a-z() ]*func (enqueue|submit\w*|read|write|value|answer|prefetch|reload|request)\b/#
      for match in text.matches(of: call) { found.insert("\(type).\(match.output.1)") }
    }
    let named = Set(Way.all.map { "\($0.type).\($0.label.prefix { $0 != "(" })" })
    #expect(found == named)
    #expect(found.count > 15)
  }
}
