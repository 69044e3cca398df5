import Foundation
import Servers
import Testing

/// The service with etcd as its engine; compiled only with SERIALTASKS_ETCD=1.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: EtcdNode.program != nil, "there is no etcd in PATH"))
struct ServingOverEtcdTests {
  /// A cluster that was restored from a backup, while the service goes on.
  ///
  /// Fails if: the service writes, or takes its own writes for late ones, so that clients ask again for ever and no person is told.
  @Test func aRestoredClusterIsReported() async throws {
    try await EtcdNode.with { node in
      let options = ["--way", "fenced", "--etcd", node.address, "--patience", "10000"]
      try await RunningService.with(options) { service in
        #expect(try await service.transfer().status == 201)
        try node.saveSnapshot()
        for _ in 0..<20 { #expect(try await service.transfer().status == 201) }
        node.stop()
        try node.restoreSnapshot()
        try node.start()
        var answer = try await service.transfer()
        // The old lease may have to end first.
        while answer.header("retry-after") == ["1"] { answer = try await service.transfer() }
        #expect(answer.status == 503)
        #expect(answer.header("retry-after") == ["60"])
        let log = try String(contentsOfFile: service.errors, encoding: .utf8)
        #expect(log.contains(" critical") && log.contains("numbers began again"))
      }
    }
  }

  /// A cluster that is away.
  ///
  /// Fails if: a client is told where it is, or what was tried; or those who run the service are not told, or it says that it is ready.
  @Test func aRefusalNamesNothingInside() async throws {
    try await EtcdNode.with { node in
      let options = ["--way", "fenced", "--etcd", node.address, "--patience", "8000", "--waiting-at-most", "30000"]
      try await RunningService.with(options) { service in
        #expect(try await service.look("ready").status == 200)
        node.stop()
        let answer = try await service.transfer()
        #expect(answer.status == 503)
        #expect(answer.text == "Nothing was done. Ask again.\n")
        #expect(try await service.look("ready").status == 503)
        let log = try String(contentsOfFile: service.errors, encoding: .utf8)
        #expect(log.contains(" warning") && log.contains("no lease") && log.contains("etcd did not answer"))
      }
    }
  }

  /// Fails if: a cluster that refuses the certificate of this replica is found out at the first write.
  @Test func aRefusedCertificateIsSaid() async throws {
    let own = try Authority()
    defer { own.remove() }
    let files = ["--cert-file", own.certificate, "--key-file", own.key, "--trusted-ca-file", own.authority]
    try await EtcdNode.with(EtcdNode(isSecure: true, options: files + ["--client-cert-auth"])) { node in
      let options = ["--way", "fenced", "--etcd", node.address, "--etcd-authority", own.authority]
      let certificate = ["--etcd-certificate", own.certificate, "--etcd-key", own.key, "--patience", "10000"]
      try await RunningService.with(options + certificate) { _ in }
      await #expect(throws: RunningService.NotRunning.self) { try await RunningService.with(options) { _ in } }
    }
  }

  /// Fails if: the service starts without a cluster that answers, or does not say so.
  @Test func aClusterThatIsAwayIsSaid() async throws {
    await #expect {
      try await RunningService.with(["--way", "fenced", "--etcd", "http://127.0.0.1:1", "--patience", "300"]) { _ in }
    } throws: { ($0 as? RunningService.NotRunning)?.log.contains("etcd did not answer") == true }
  }

  /// Fails if: the service starts with an option of etcd that makes no sense, and finds that out later, or never.
  @Test(arguments: [
    "--etcd-attempt 0", "--etcd-certificate own.pem", "--etcd-user bank", "--etcd-authority /missing.pem",
    "--etcd https://bank@localhost:1", "--etcd https://localhost:1/bank", "--etcd https://localhost:1?bank",
    "--etcd-prefix bank", "--locks host=localhost",
  ])
  func aBadOptionIsRefused(_ option: String) async throws {
    try await RunningService.refuses(["--etcd", "https://localhost:1"], option)
  }
}
