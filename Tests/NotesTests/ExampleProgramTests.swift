import SerialTasks
import Testing

@testable import example

/// The short program that the README shows first.
@Suite(.watched) struct ExampleProgramTests {
  /// The download goes on when the other four screens have joined it, so that no luck is needed.
  ///
  /// Fails if: a change is lost or overtakes another, or a screen downloads the list for itself.
  @Test func itPrintsWhatItsCommentsSay() async throws {
    let (joined, continuation) = AsyncStream<Void>.makeStream()
    let downloads = TaskCoalescer<String, [String]>(name: "downloads") { event in
      if case .joined = event.kind { continuation.yield() }
    }
    let server = Server {
      guard downloads.snapshot.flights == 1 else { return await Task.yield() }
      for await _ in joined.prefix(4) {}
    }
    let lines = try await Example.run(ShoppingList(server: server, downloads: downloads))
    #expect(lines == ["3 changes at once, in order: milk, eggs, bread", "5 screens at once, downloads: 1"])
  }
}
