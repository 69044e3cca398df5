import Foundation
import Servers
import Testing

/// What becomes of a client's connection, and of a server that stops.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConnectionTests {
  /// Fails if: each answer ends its connection, or one after which Hummingbird ends it does not say so.
  @Test func onlyAHandlerThatWatchesEndsTheConnection() async throws {
    try await RunningService.with { service in
      #expect(try await service.ask("accounts/account-0").header("connection") == [])
      let written = try await service.transfer()
      #expect(written.status == 201)
      #expect(written.header("connection") == ["close"])
    }
  }

  /// Fails if: a server that is asked to stop says that it is ready, or refuses what comes before that was noticed.
  @Test func aServerThatStopsIsNotReady() async throws {
    try await RunningService.with(["--leaving-for", "3000"]) { service in
      #expect(try await service.look("ready").status == 200)
      service.process.signal(SIGTERM)
      while try await service.look("ready").status != 503 { await Task.yield() }
      #expect(try await service.look("health").status == 200)
      #expect(try await service.transfer().status == 201)
      #expect(await service.process.end() == 0)
    }
  }
}
