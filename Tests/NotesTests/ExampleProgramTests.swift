import TestWatch
import Testing

@testable import example

/// The short program that the README shows first.
@Suite(.watched) struct ExampleProgramTests {
  /// The download goes on when the other four screens have joined it, so that no luck is needed.
  ///
  /// Fails if: a change is lost or overtakes another, or a screen downloads the list for itself.
  @Test func itPrintsWhatItsCommentsSay() async throws {
    let lists = Log<ShoppingList>()
    let server = Server {
      let downloads = lists.entries[0].downloads
      guard downloads.snapshot.running == 1 else { return await Task.yield() }
      try? await until { downloads.snapshot.waiting == 5 }
    }
    lists(ShoppingList(server: server))
    let lines = try await Example.run(lists.entries[0])
    #expect(lines == ["3 changes at once, in order: milk, eggs, bread", "5 screens at once, downloads: 1"])
  }
}
