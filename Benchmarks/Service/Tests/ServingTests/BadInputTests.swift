import Foundation
import Servers
import Testing

/// What clients and operators get wrong.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BadInputTests {
  /// What is sent on a connection of its own, and the statuses of the answers.
  private struct Input {
    let sent: String
    let statuses: [Int]

    init(_ status: Int, _ sent: String) { (self.sent, statuses) = (sent, [status]) }
    init(_ statuses: [Int], _ sent: String) { (self.sent, self.statuses) = (sent, statuses) }

    static func send(_ status: Int, _ method: String, _ path: String, _ body: String = "") -> Input {
      Input(status, "\(method) \(path) HTTP/1.1\r\nhost: a\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    static func transfer(_ status: Int, id: String = "a", from: String = "account-0", amount: String = "1") -> Input {
      send(status, "POST", "/transfers", #"{"id":"\#(id)","from":"\#(from)","to":"account-1","amount":\#(amount)}"#)
    }

    static func note(
      _ status: Int, request: String = "\(UUID())", _ id: String, of account: String = "account-0", text: String = ""
    ) -> Input {
      let body = #"{"request":"\#(request)","id":"\#(id)","text":"\#(text)"}"#
      return send(status, "POST", "/accounts/\(account)/notes", body)
    }

    /// A transfer in a body of another form than the head of the request promises.
    static func chunked(_ status: Int, _ body: String) -> Input {
      Input(status, "POST /transfers HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n\(body)")
    }
  }

  private static let long = String(repeating: "a", count: 201)
  private static let zero = #"a\u0000b"#

  private static let names = [
    // For PostgreSQL and C, a text ends there.
    Input.transfer(400, id: zero), .transfer(400, from: #"account-0\u0000"#), .note(400, zero),
    .note(400, "a", text: zero),
    // Too long, or empty.
    .transfer(400, id: long), .transfer(400, id: ""), .note(400, "a", of: long),
    .send(400, "GET", "/accounts/\(long)"),
    // In a log, each would be the end of a line, or more than text.
    .transfer(400, id: #"evil\n2026-01-01T00:00:00+0000 critical bank : open"#, amount: "7777"),
    .transfer(400, id: #"a\rb"#), .transfer(400, id: #"a\u001b[2Jb"#), .transfer(400, id: #"a\u0085b"#),
    .transfer(400, id: #"a\u2028b"#), .transfer(400, id: #"a\u2029b"#), .transfer(400, from: #"account-0\n"#),
    .note(400, request: #"a\nb"#, "a"), .note(400, #"a\u007fb"#), .send(400, "GET", "/accounts/a%0Ab"),
    .send(400, "GET", "/accounts/%00"),
    // Not seen, or shown as another.
    .transfer(400, id: #"a\u202eb"#), .transfer(400, id: #"a\u200bb"#), .note(400, "a\u{E0041}b"),
    .send(400, "GET", "/accounts?from=a%0A"), .send(400, "GET", "/accounts/account-0?from=\(long)"),
    // A text may have lines.
    .note(201, "lines", text: #"one\ntwo"#),
    // Like a name, and another one.
    .transfer(404, from: "account-0 "), .transfer(404, from: "Account-0"), .transfer(404, from: "account-\u{FF10}"),
    .send(404, "GET", "/accounts/..%2faccount-0"), .send(200, "GET", "/accounts/%61ccount-0"),
    .send(400, "GET", "/accounts/%zz"), .send(400, "GET", "/accounts/%ff"),
  ]

  private static let bodies = [
    Input.transfer(400, amount: "-1"), .transfer(400, amount: "0"), .transfer(400, amount: "-0"),
    .transfer(400, amount: "\(Int.min)"), .transfer(400, amount: "true"), .transfer(400, amount: "0.5"),
    .transfer(400, amount: "0.\(String(repeating: "9", count: 60))"), .transfer(400, amount: "1.0"),
    .transfer(400, amount: "1e0"), .note(201, #"1e0 \"1.0"#, text: #"1.0 \\"#),
    .transfer(409, amount: "\(Int.max)"), .transfer(400, id: #"\ud800"#),
    .send(400, "POST", "/transfers"), .send(400, "POST", "/transfers", "[]"), .send(400, "POST", "/transfers", "1"),
    .send(400, "POST", "/transfers", #"{"ID":"a","from":"account-0","to":"account-1","amount":1}"#),
    .send(400, "POST", "/transfers", #"{"id":1,"from":"account-0","to":"account-1","amount":1}"#),
    .send(400, "POST", "/accounts/account-0/notes", #"{"request":"no name"}"#),
    .note(201, request: "first", "there"), .note(409, request: "second", "there"),
    .note(409, request: "third", "there", of: "account-1"), .note(422, request: "first", "another"),
    .send(413, "POST", "/transfers", String(repeating: " ", count: 1 << 16) + "{}"),
    .send(413, "POST", "/accounts/account-0/notes", String(repeating: " ", count: 1 << 16) + "{}"),
    .chunked(413, String(repeating: "1000\r\n\(String(repeating: " ", count: 1 << 12))\r\n", count: 17)),
    .chunked(400, "zz\r\n{}\r\n0\r\n\r\n"), .chunked(400, "-1\r\n{}\r\n0\r\n\r\n"),
    .chunked(400, "fffffffffffffffff\r\n"),
  ]

  private static let heads = [
    Input.send(405, "OPTIONS", "/transfers"), .send(405, "TRACE", "/accounts"),
    Input(400, "GET /accounts HTTP/1.1\r\n\r\n"), .send(405, "PATCH", "/transfers"), .send(405, "GET", "/transfers"),
    .send(405, "DELETE", "/accounts"),
    .send(405, "POST", "/accounts/account-0/notes/a"), .send(200, "HEAD", "/accounts"), .send(404, "GET", "/"),
    Input(400, "GET /accounts HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n"),
    Input(400, "GET /accounts HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999999999999\r\n\r\n"),
    Input(400, "GET /accounts HTTP/1.1\r\nhost: a\r\na\0b: c\r\n\r\n"), Input(400, "GET /accounts HTTP/9.9\r\n\r\n"),
    Input(400, "\0\0\0\0\r\n\r\n"),
    // The second of two on one connection.
    Input([200, 400], "GET /accounts HTTP/1.1\r\nhost: a\r\n\r\nGET /accounts HTTP/9.9\r\n\r\n"),
  ]

  /// Fails if: a request that makes no sense is begun, ends the service, is answered twice, or as a mistake of the service, or writes a
  /// line of its own into the log.
  @Test func aBadRequestIsRefused() async throws {
    try await RunningService.with { service in
      for input in BadInputTests.names + BadInputTests.bodies + BadInputTests.heads {
        let connection = try RawConnection(service.port)
        connection.send(input.sent)
        // What is not read to its end ends the connection, and is answered once.
        let (answer, _) = connection.receive(answers: input.statuses == [413] ? .max : input.statuses.count)
        let statuses = answer.matches(of: /HTTP\/1.1 (\d+)/).compactMap { Int($0.output.1) }
        #expect(statuses == input.statuses, "\(input.sent.prefix(300).debugDescription)")
      }
      let found = try await service.ask("accounts").text
      #expect(found.matches(of: /"balance":10000\b/).count == 20, "\(found)")
      let body = #"{"id":"a","from":"account-0","to":"account-1","amount":1}"#
      #expect(try await service.ask("transfers", body).status == 201)
      let log = try String(contentsOfFile: service.errors, encoding: .utf8)
      #expect(log.matches(of: /(?m)^.*( error | critical ).*$/).map { "\($0.output.0)" } == [])
    }
  }

  /// A body that the client does not send to its end.
  ///
  /// Fails if: it is answered as something that had begun.
  @Test func halfABodyIsNotBegun() async throws {
    try await RunningService.with { service in
      for path in ["transfers", "accounts/account-0/notes"] {
        let connection = try RawConnection(service.port)
        connection.send("POST /\(path) HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{\"id\":")
        connection.finish()
        let (answer, hasEnded) = connection.receive()
        #expect(hasEnded)
        #expect(answer == "" || answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
      }
    }
  }

  /// Fails if: the service starts with an option that makes no sense, and finds that out later, or never.
  @Test(arguments: [
    "--validity 0", "--validity -1", "--patience -1", "--keep-access -1", "--fences-begin-at 9223372036854775808",
    "--connections 0", "--capacity 0", "--accounts -1", "--port 70000", "--waiting-at-most -1", "--shut-down-within -1",
    "--leaving-for -1", "--approval -1", "--metrics-port -1", "--maximum-connections 0", "--client-patience 0",
  ])
  func aBadOptionIsRefused(_ option: String) async throws {
    try await RunningService.refuses(["--locks", "host=localhost"], option)
  }

  #if !ETCD
    /// Fails if: the service, built without etcd's engine, says of its option anything else than that it is unknown.
    @Test func etcdIsUnknownWithoutItsEngine() async throws {
      await #expect {
        try await RunningService.with(["--way", "fenced", "--etcd", "http://127.0.0.1:1"]) { _ in }
      } throws: { ($0 as? RunningService.NotRunning)?.log.contains("Unknown option '--etcd'") == true }
    }
  #endif
}
