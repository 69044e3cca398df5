import Foundation
import Testing

/// What documentation shows is compiled, letter for letter.
@Suite(.watched) struct CodeTests {
  let snippets: [Page]

  /// What a server needs beside the library is compiled and run in a package of its own.
  init() throws {
    snippets = try ["Tests/DocumentationTests", "Benchmarks/Service/Sources"].flatMap { try Page.all(in: $0, ".swift") }
  }

  /// Fails if: a block or a diff of README or of an article is changed and its snippet is not, or the other way round.
  @Test func everyBlockOfAPageIsCompiled() throws {
    #expect(try articles.count >= 14)
    for page in try articles + [Page(Page.root.appending(path: "README.md"))] { check(page) }
  }

  /// Fails if: an example in a doc comment calls what does not exist.
  @Test func everyBlockOfADocCommentIsCompiled() throws {
    for source in try sources { check(source.docComments) }
  }

  /// Fails if: a page can differ from its snippet in anything but its margin.
  @Test func blocksAreCompared() {
    #expect(
      snippets.contains {
        $0.contains(["actor Notebook {", "  let upload: @Sendable ([String]) async throws -> Void"])
      })
    #expect(
      !snippets.contains { $0.contains(["actor Notebook {", "let upload: @Sendable ([String]) async throws -> Void"]) })
    #expect(!snippets.contains { $0.contains(["actor Notebook" + "s {"]) })
  }

  /// Fails if: a block of README or of an article is so wide that it scrolls on a code host or in a browser.
  @Test func noBlockIsTooWide() throws {
    for page in try articles { wideLines(of: page, 90) }
    wideLines(of: try Page(Page.root.appending(path: "README.md")), 80)
    for source in try sources { wideLines(of: source.docComments, 95) }
  }

  /// A page is also read as it stands, where a code host knows nothing of DocC. (`.ci/links` follows the links.)
  ///
  /// Fails if: the README links as only DocC does; or an article names another by its file in place of its title, does not end with
  /// links that a code host follows, or shows the path of a symbol that tells symbols of one name apart.
  @Test func pagesCanBeReadOnACodeHost() throws {
    let readme = try Page(Page.root.appending(path: "README.md"))
    let text = readme.lines.joined(separator: "\n")
    #expect(!text.contains("](doc:") && !text.contains("<doc:") && !text.contains(#/[^`]``[^`]/#))
    // Pages that only sort the symbols of a type are not for readers.
    for article in try articles.filter({ !$0.lines[0].hasPrefix("# ``") }) {
      #expect(article.lines.dropLast().last?.hasPrefix("<p>See also: <a href=") == true, "\(article.name)")
      for (number, line) in article.lines.enumerated() {
        #expect(!line.contains(#/-swift\.\w+`/#) && !line.contains("<doc:"), "\(article.name):\(number + 1): \(line)")
      }
    }
  }

  private var articles: [Page] {
    get throws { try Page.all(in: "Sources", ".md").filter { $0.name != "WALK.md" } }
  }

  private var sources: [Page] {
    get throws {
      try ["SerialTasks", "CoalescingTasks", "SerialTasksTesting", "SerialTasksFenced", "SerialTasksFencedTesting"]
        .flatMap { try Page.all(in: "Sources/\($0)", ".swift") }
    }
  }

  private func wideLines(of page: Page, _ width: Int) {
    for (start, code) in page.blocks(of: "swift") {
      for (number, line) in code.enumerated() {
        #expect(line.count <= width, "\(page.name):\(start + number): \(line.count) columns")
      }
    }
  }

  private func check(_ page: Page) {
    for (line, code) in page.blocks(of: "swift") where !code[0].contains(".package(") {
      // What a block imports, the file of its snippet imports at its top.
      let imports = code.prefix { $0.hasPrefix("import ") || $0.isEmpty }
      let (rest, modules) = (
        Array(code.dropFirst(imports.count)), imports.filter { !$0.isEmpty }.map { $0.prefix { $0 != "/" } }
      )
      let isCompiled = snippets.contains { snippet in
        modules.allSatisfy { snippet.contains([$0.trimmingCharacters(in: .whitespaces)]) }
          && (rest.isEmpty || snippet.contains(rest))
      }
      #expect(
        isCompiled,
        "\(page.name):\(line): no snippet is compiled that reads\n\(code.joined(separator: "\n"))")
    }
    // Of a diff, what stands there after; what stood there before is the code of others.
    for (line, code) in page.blocks(of: "diff") {
      let after = code.filter { !$0.hasPrefix("-") }.map { String($0.dropFirst()) }
      #expect(
        snippets.contains { $0.contains(after) },
        "\(page.name):\(line): no snippet is compiled that reads\n\(after.joined(separator: "\n"))")
    }
  }
}
