import Foundation
import Servers
import Testing

/// Clients that end their side, and a server that is told to stop.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LeavingTests {
  private func transfer(_ id: String, amount: Int = 1) -> String {
    let body = #"{"id":"\#(id)","from":"account-0","to":"account-1","amount":\#(amount)}"#
    return "POST /transfers HTTP/1.1\r\nhost: a\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// As `nc -N` does.
  ///
  /// Fails if: a client that sends nothing more is taken for one that has left.
  @Test func aClientThatEndsItsSideIsAnswered() async throws {
    try await RunningService.with { service in
      for number in 0..<20 {
        let connection = try RawConnection(service.port)
        connection.send(transfer("\(number)"))
        connection.finish()
        let (text, hasEnded) = connection.receive()
        #expect(hasEnded && text.contains("HTTP/1.1 201") && !text.contains("HTTP/1.1 5"), "\(text)")
      }
      #expect(try await service.ask("accounts/account-0").text.contains("\"balance\":9980"))
    }
  }

  /// Fails if: the transfer of a client that has left keeps its turn, and is done.
  @Test func aClientThatLeavesEndsItsTransfer() async throws {
    try await RunningService.with { service in
      var connection: RawConnection? = try RawConnection(service.port)
      connection?.send(transfer("left", amount: 7_777))
      while try !service.log().contains("review of left began") { try await Task.sleep(for: .milliseconds(10)) }
      connection = nil
      // It waits for its turn behind that one.
      #expect(try await service.transfer().status == 201)
      #expect(try await service.ask("accounts/account-0").text.contains("\"balance\":9999"))
    }
  }

  /// Fails if: half a body holds up the end of the service, which then logs that as its own mistake, or is answered as if it had begun.
  @Test func halfABodyHoldsUpNoEnd() async throws {
    try await RunningService.with(["--shut-down-within", "2"]) { service in
      let connections = try ["transfers", "accounts/account-0/notes"].map { path in
        let connection = try RawConnection(service.port)
        connection.send("POST /\(path) HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 500\r\n\r\n{")
        // It is read.
        #expect(connection.receive(answers: 1).text.hasPrefix("HTTP/1.1 100"))
        return connection
      }
      service.process.signal(SIGTERM)
      for connection in connections {
        let (text, hasEnded) = connection.receive()
        #expect(hasEnded && text.contains("HTTP/1.1 503") && text.lowercased().contains("retry-after: 1"), "\(text)")
      }
      #expect(await service.process.end() == 0)
      #expect(try !service.log().contains(" error "))
    }
  }

  /// Fails if: a client that takes nothing of its answer holds up the end of the service for longer than it waits for anything.
  @Test func anUnreadAnswerHoldsUpNoEnd() async throws {
    try await RunningService.with(["--shut-down-within", "1"]) { service in
      let text = String(repeating: "x", count: 60_000)
      for id in ["a", "b", "c"] {
        let body = #"{"request":"\#(id)","id":"\#(id)","text":"\#(text)"}"#
        #expect(try await service.ask("accounts/account-7/notes", body).status == 201)
      }
      let connection = try RawConnection(service.port, receiving: 4_096)
      connection.send(String(repeating: "GET /accounts/account-7 HTTP/1.1\r\nhost: a\r\n\r\n", count: 20))
      #expect(connection.receive(answers: 1).text.hasPrefix("HTTP/1.1 200"))
      service.process.signal(SIGTERM)
      #expect(await service.process.end() == 0)
      let log = try service.log()
      #expect(!log.contains(" error "), "\(log)")
      withExtendedLifetime(connection) {}
    }
  }
}
