import AsyncHTTPClient
import Foundation
import Servers
import Testing

/// What clients and operators get wrong.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BadInputTests {
  private static let long = String(repeating: "a", count: 201)

  /// Fails if: a request that makes no sense is begun, or ends the service.
  @Test func aBadRequestIsRefused() async throws {
    try await RunningService.with { service in
      let http = HTTPClient(eventLoopGroupProvider: .singleton)
      func transfer(_ id: String, _ from: String, _ amount: String) -> HTTPClientRequest {
        service.request("transfers", #"{"id":"\#(id)","from":"\#(from)","to":"account-1","amount":\#(amount)}"#)
      }
      func note(_ account: String, _ id: String, _ text: String) -> HTTPClientRequest {
        service.request("accounts/\(account)/notes", #"{"request":"\#(UUID())","id":"\#(id)","text":"\#(text)"}"#)
      }
      let zero = #"a\u0000b"#
      for request in [
        transfer(zero, "account-0", "1"), transfer("a", #"account-0\u0000"#, "1"),
        transfer("a", BadInputTests.long, "1"),
        transfer("", "account-0", "1"), transfer("a", "account-0", "-1"), transfer("a", "account-0", "0"),
        transfer("a", "account-0", "\(Int.min)"), note(BadInputTests.long, "a", ""), note("account-0", zero, ""),
        note("account-0", "a", zero), service.request("accounts/\(BadInputTests.long)"),
      ] {
        let answer = try await http.execute(request, timeout: .seconds(10))
        #expect(answer.status == .badRequest, "\(request)")
      }
      #expect(try await http.execute(transfer("a", "account-0", "1"), timeout: .seconds(10)).status == .created)
      try await http.shutdown()
    }
  }

  /// Fails if: the service starts with an option that makes no sense, and finds that out later, or never.
  @Test(arguments: [
    "--validity 0", "--validity -1", "--etcd-attempt 0", "--patience -1", "--keep-access -1",
    "--fences-begin-at 9223372036854775808", "--etcd-certificate own.pem", "--etcd-user bank",
    "--etcd-authority /missing.pem", "--connections 0", "--capacity 0", "--accounts -1", "--port 70000",
    "--waiting-at-most -1", "--shut-down-within -1", "--leaving-for -1", "--approval -1",
  ])
  func aBadOptionIsRefused(_ option: String) async throws {
    let process = ServerProcess("service")
    defer { process.remove() }
    try process.start(
      RunningService.program,
      [
        "--database", "\(process.folder)/bank.sqlite", "--way", "fenced", "--etcd", "https://localhost:1", "--port",
        "0",
      ]
        + option.split(separator: " ").map(String.init))
    // EX_USAGE: before anything else was done.
    #expect(await process.end() == 64)
    #expect(try FileManager.default.contentsOfDirectory(atPath: process.folder) == [])
  }
}
