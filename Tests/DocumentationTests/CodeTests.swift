import Foundation
import Testing

/// What documentation shows is compiled, letter for letter.
@Suite(.watched) struct CodeTests {
  let snippets: [Page]

  init() throws { snippets = try Page.all(in: "Tests/DocumentationTests", ".swift") }

  /// Fails if: a block of README or of an article is changed and its snippet is not, or the other way round.
  @Test func everyBlockOfAPageIsCompiled() throws {
    let articles = try Page.all(in: "Sources/SerialTasks/Documentation.docc", ".md")
    #expect(articles.count >= 14)
    for page in try articles + [Page(Page.root.appending(path: "README.md"))] { check(page) }
  }

  /// Fails if: an example in a doc comment calls what does not exist.
  @Test func everyBlockOfADocCommentIsCompiled() throws {
    let modules = ["SerialTasks", "SerialTasksTesting", "SerialTasksFenced", "SerialTasksFencedTesting"]
    let sources = try modules.flatMap { try Page.all(in: "Sources/\($0)", ".swift") }
    for source in sources { check(source.docComments) }
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

  private func check(_ page: Page) {
    for (line, code) in page.blocks(of: "swift") where !code[0].contains(".package(") {
      #expect(
        snippets.contains { $0.contains(code) },
        "\(page.name):\(line): no snippet is compiled that reads\n\(code.joined(separator: "\n"))")
    }
  }
}
