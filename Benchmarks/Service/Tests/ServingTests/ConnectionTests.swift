import Foundation
import Servers
import Testing

/// What becomes of a client's connection, and of a server that stops.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConnectionTests {
  /// Fails if: an answer ends its connection, also that of a handler that watches whether its client leaves.
  @Test func anAnswerKeepsTheConnection() async throws {
    try await RunningService.with { service in
      let connection = try RawConnection(service.port)
      for id in ["a", "b"] {
        let body = #"{"id":"\#(id)","from":"account-0","to":"account-1","amount":1}"#
        connection.send("POST /transfers HTTP/1.1\r\nhost: a\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(connection.receive(answers: 1).text.hasPrefix("HTTP/1.1 201"))
      }
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
