import AsyncHTTPClient
import Foundation
import Servers
import Testing

/// A cluster of etcd that was restored from a backup, while the service goes on.
@Suite(.timeLimit(.minutes(2)), .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH"))
struct RestoredClusterTests {
  /// Fails if: the service writes, or takes its own writes for late ones, so that clients ask again for ever and no person is told.
  @Test func aRestoredClusterIsReported() async throws {
    try await EtcdNode.with { node in
      let options = ["--way", "fenced", "--etcd", node.address, "--patience", "10000"]
      try await RunningService.with(options) { service in
        let http = HTTPClient(eventLoopGroupProvider: .singleton)
        func transfer() async throws -> HTTPClientResponse {
          let body = #"{"id":"\#(UUID())","from":"account-0","to":"account-1","amount":1}"#
          return try await http.execute(service.request("transfers", body), timeout: .seconds(30))
        }
        #expect(try await transfer().status == .created)
        try node.saveSnapshot()
        for _ in 0..<20 { #expect(try await transfer().status == .created) }
        node.stop()
        try node.restoreSnapshot()
        try node.start()
        var answer = try await transfer()
        // The old lease may have to end first.
        while answer.headers["retry-after"] == ["1"] { answer = try await transfer() }
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.headers["retry-after"] == ["60"])
        let log = try String(contentsOfFile: service.errors, encoding: .utf8)
        #expect(log.contains(" critical") && log.contains("numbers began again"))
        try await http.shutdown()
      }
    }
  }
}
