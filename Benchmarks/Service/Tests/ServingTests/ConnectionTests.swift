import AsyncHTTPClient
import Foundation
import Servers
import Testing

/// What becomes of a client's connection, and of a server that stops.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConnectionTests {
  private func withService(
    _ options: [String] = [], isSecure: Bool = false, _ body: (RunningService, String) async throws -> Void
  ) async throws {
    try await RunningService.with(options) {
      try await body($0, isSecure ? "https://localhost:\($0.port)" : "http://127.0.0.1:\($0.port)")
    }
  }

  private func client() -> HTTPClient { HTTPClient(eventLoopGroupProvider: .singleton) }

  private func transfer(_ url: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: "\(url)/transfers")
    request.method = .POST
    request.body = .bytes(Data(#"{"id":"\#(UUID())","from":"account-0","to":"account-1","amount":1}"#.utf8))
    return request
  }

  /// Fails if: each answer ends its connection, or one after which Hummingbird ends it does not say so.
  @Test func onlyAHandlerThatWatchesEndsTheConnection() async throws {
    try await withService { _, url in
      let http = client()
      let read = try await http.execute(HTTPClientRequest(url: "\(url)/accounts/account-0"), timeout: .seconds(10))
      #expect(read.headers["connection"] == [])
      let written = try await http.execute(transfer(url), timeout: .seconds(10))
      #expect(written.status == .created)
      #expect(written.headers["connection"] == ["close"])
      try await http.shutdown()
    }
  }

  /// Fails if: the header, which HTTP/2 forbids, is sent there, or the connection does not go on.
  @Test func http2KeepsItsConnection() async throws {
    let authority = try Authority()
    defer { authority.remove() }
    let options = ["--certificate", authority.certificate, "--key", authority.key]
    try await withService(options, isSecure: true) { _, url in
      var configuration = HTTPClient.Configuration(certificateVerification: .none)
      configuration.httpVersion = .automatic
      let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      for _ in 0..<3 {
        let written = try await http.execute(transfer(url), timeout: .seconds(10))
        #expect(written.status == .created)
        #expect(written.version == .http2)
        #expect(written.headers["connection"] == [])
      }
      try await http.shutdown()
    }
  }

  /// Fails if: a server that is asked to stop says that it is ready, or refuses what comes before that was noticed.
  @Test func aServerThatStopsIsNotReady() async throws {
    try await withService(["--leaving-for", "3000"]) { service, url in
      let http = client()
      func status(_ path: String) async throws -> Int {
        Int(try await http.execute(service.look(path), timeout: .seconds(10)).status.code)
      }
      #expect(try await status("ready") == 200)
      service.process.signal(SIGTERM)
      while try await status("ready") != 503 { await Task.yield() }
      #expect(try await status("health") == 200)
      #expect(try await http.execute(transfer(url), timeout: .seconds(10)).status == .created)
      try await http.shutdown()
      #expect(await service.process.end() == 0)
    }
  }
}
