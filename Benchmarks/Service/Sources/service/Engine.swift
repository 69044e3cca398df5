import ArgumentParser
import Bank
import Etcd
import Foundation
import Logging
import Postgres
import SerialTasksFenced

/// What grants access to accounts, of the engines that there are.
struct Engine: Sendable {
  let accounts: @Sendable (Ledger, Limits) -> any Accounts
  /// Throws if it does not answer.
  let check: @Sendable () async throws -> Void
  let end: @Sendable () async -> Void
}

struct EngineOptions: ParsableArguments {
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

  @Option(help: ArgumentHelp("What is added to the engine's numbers, after it was restored.", valueName: "number"))
  var fencesBeginAt: UInt64 = 0

  @Option(help: ArgumentHelp("A PostgreSQL server that grants access by its locks.", valueName: "parameters"))
  var locks: String?

  @Option(help: ArgumentHelp("How long a replica that is not heard keeps its access.", valueName: "seconds"))
  var validity = 5

  @Option(
    help: ArgumentHelp("How long a request to an engine that does not answer is repeated.", valueName: "milliseconds"))
  var patience = 4_000

  @Option(help: ArgumentHelp("How long an unused account is kept, unless another asks.", valueName: "milliseconds"))
  var keepAccess = 0

  @Option(
    help:
      "How many writes of an account run before others may have it; few, where this replica is far from its database.")
  var jobsPerAccess = 100

  private var kept: Duration { .milliseconds(keepAccess) }

  var isGiven: Bool { etcd != nil || locks != nil }

  func validate() throws {
    if etcd != nil, locks != nil { throw ValidationError("--etcd and --locks are two engines: give one") }
    if let etcd, EtcdCluster(etcd) == nil {
      throw ValidationError(
        "--etcd needs addresses such as http://127.0.0.1:2379, with commas, without user and path, and got “\(etcd)”")
    }
    if !etcdPrefix.hasSuffix("/") { throw ValidationError("--etcd-prefix ends with a slash") }
    if validity < 1 { throw ValidationError("--validity is at least 1 second") }
    if etcdAttempt < 1 { throw ValidationError("--etcd-attempt is at least 1 millisecond") }
    if patience < 0 { throw ValidationError("--patience is not negative") }
    if keepAccess < 0 { throw ValidationError("--keep-access is not negative") }
    if jobsPerAccess < 1 { throw ValidationError("--jobs-per-access is at least 1") }
    if fencesBeginAt > 1 << 62 { throw ValidationError("--fences-begin-at is at most 2^62") }
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

  private var cluster: EtcdCluster? {
    var cluster = etcd.flatMap { EtcdCluster($0) }
    cluster?.certificates = .init(authority: etcdAuthority, own: etcdCertificate, key: etcdKey)
    cluster?.prefix = etcdPrefix
    cluster?.user = etcdUser.map { .init(name: $0, password: password ?? "") }
    return cluster
  }

  /// Starts the engine, if one is given; throws if it does not answer, or refuses this replica.
  func start(_ logger: Logger) async throws -> Engine? {
    let engine: Engine
    if let cluster {
      engine = startEtcd(cluster, logger)
    } else if let locks {
      engine = try await startPostgres(locks, logger)
    } else {
      return nil
    }
    try await engine.check()
    return engine
  }

  private func startEtcd(_ cluster: EtcdCluster, _ logger: Logger) -> Engine {
    let client = EtcdClient(
      cluster,
      limits: EtcdLimits(
        validity: .seconds(validity), attempt: .milliseconds(etcdAttempt), patience: .milliseconds(patience)))
    let access = EtcdAccess(client, numbersBeginAt: fencesBeginAt, logger: logger)
    return Engine(
      accounts: { [kept, jobsPerAccess] in
        FencedAccounts(
          $0, $1, access: access, jobsPerAccess: jobsPerAccess, keepsAccessFor: kept,
          newestNumber: { _ in try await access.newestNumber() })
      },
      check: { _ = try await access.newestNumber() },
      end: {
        await access.end()
        client.shutDown()
      })
  }

  private func startPostgres(_ parameters: String, _ logger: Logger) async throws -> Engine {
    let limits = PostgresLimits(validity: .seconds(validity), patience: .milliseconds(patience))
    let link = try await LibpqLink.connect(parameters, within: limits.patience)
    try await link.query(PostgresAccess.schema, [], within: limits.patience)
    await link.close()
    let access = PostgresAccess(limits: limits, numbersBeginAt: fencesBeginAt, logger: logger) {
      try await LibpqLink.connect(parameters, within: $0)
    }
    return Engine(
      accounts: { [kept, jobsPerAccess] in
        FencedAccounts(
          $0, $1, access: access, jobsPerAccess: jobsPerAccess, keepsAccessFor: kept,
          newestNumber: { try await access.newestNumber(of: $0) })
      },
      check: { _ = try await access.newestNumber(of: "") },
      end: { await access.end() })
  }
}
