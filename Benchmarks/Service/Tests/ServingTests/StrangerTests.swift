import AsyncHTTPClient
import Foundation
import Servers
import Testing

/// What those who should not are told, and what they can take from others.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StrangerTests {
  private func status(_ http: HTTPClient, _ request: HTTPClientRequest) async throws -> Int {
    Int(try await http.execute(request, timeout: .seconds(30)).status.code)
  }

  /// Fails if: what the service tells about itself is told to its clients, or to no one.
  @Test func whatTheServiceTellsAboutItselfIsElsewhere() async throws {
    try await RunningService.with { service in
      let http = HTTPClient(eventLoopGroupProvider: .singleton)
      for path in ["metrics", "waits", "health", "ready"] {
        #expect(try await status(http, service.request(path)) == 404)
        #expect(try await status(http, service.look(path)) == 200)
      }
      try await http.shutdown()
    }
  }
}
