import ArgumentParser
import Bank
import Etcd
import Foundation
import Logging
import SerialTasksFenced

/// What is compiled only with SERIALTASKS_ETCD=1.
struct EtcdOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The nodes of an etcd cluster, with commas: https://etcd1:2379.", valueName: "addresses"))
  var etcd: String?

  @Option(help: ArgumentHelp("The certificate of the authority that signed the nodes' (PEM).", valueName: "file"))
  var etcdAuthority: String?

  @Option(help: ArgumentHelp("The certificate of this replica (PEM), where etcd asks for one.", valueName: "file"))
  var etcdCertificate: String?

  @Option(help: ArgumentHelp("The private key of that certificate (PEM).", valueName: "file"))
  var etcdKey: String?

  @Option(help: ArgumentHelp("A user of etcd; the password is that of ETCD_PASSWORD.", valueName: "name"))
  var etcdUser: String?

  @Option(
    help: ArgumentHelp("What all names in etcd begin with; programs that share it have one each.", valueName: "text"))
  var etcdPrefix = "serial-tasks/"

  @Option(help: ArgumentHelp("How long one node of etcd is given for an answer.", valueName: "milliseconds"))
  var etcdAttempt = 1_000

  func validate() throws {
    if let etcd, EtcdCluster(etcd) == nil {
      throw ValidationError(
        "--etcd needs addresses such as http://127.0.0.1:2379, with commas, without user and path, and got “\(etcd)”")
    }
    if !etcdPrefix.hasSuffix("/") { throw ValidationError("--etcd-prefix ends with a slash") }
    if etcdAttempt < 1 { throw ValidationError("--etcd-attempt is at least 1 millisecond") }
    if (etcdCertificate == nil) != (etcdKey == nil) {
      throw ValidationError("--etcd-certificate and --etcd-key go together")
    }
    if etcdUser != nil, password == nil { throw ValidationError("--etcd-user needs its password in ETCD_PASSWORD") }
    if etcd == nil, [etcdAuthority, etcdCertificate, etcdUser].contains(where: { $0 != nil }) {
      throw ValidationError("certificates and a user of etcd need --etcd")
    }
    do { try cluster?.check() } catch { throw ValidationError("the certificates cannot be used: \(error)") }
  }

  private var password: String? { ProcessInfo.processInfo.environment["ETCD_PASSWORD"] }

  var cluster: EtcdCluster? {
    var cluster = etcd.flatMap { EtcdCluster($0) }
    cluster?.certificates = .init(authority: etcdAuthority, own: etcdCertificate, key: etcdKey)
    cluster?.prefix = etcdPrefix
    cluster?.user = etcdUser.map { .init(name: $0, password: password ?? "") }
    return cluster
  }
}

extension EngineOptions {
  func startEtcd(_ cluster: EtcdCluster, _ logger: Logger) -> Engine {
    let client = EtcdClient(
      cluster,
      limits: EtcdLimits(
        validity: .seconds(validity), attempt: .milliseconds(etcd.etcdAttempt), patience: .milliseconds(patience)))
    let access = EtcdAccess(client, numbersBeginAt: fencesBeginAt, logger: logger)
    return Engine(
      accounts: { [kept, jobsPerAccess] in
        FencedAccounts(
          $0, $1, access: NamedAccess(access: access), jobsPerAccess: jobsPerAccess, keepsAccessFor: kept,
          newestNumber: { _ in try await access.newestNumber() })
      },
      check: { _ = try await access.newestNumber() },
      end: {
        await access.end()
        client.shutDown()
      })
  }
}

/// An engine that compares keys by their bytes, for keys that are compared so everywhere.
private struct NamedAccess<Access: ExclusiveAccess<String>>: ExclusiveAccess {
  let access: Access

  nonisolated(nonsending) func withAccess(
    to key: Name, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws { try await access.withAccess(to: key.text, turn) }

  nonisolated(nonsending) func waitUntilAnotherAsks(for key: Name, under fence: Fence) async throws {
    try await access.waitUntilAnotherAsks(for: key.text, under: fence)
  }
}
