import ArgumentParser
import Bank
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
  #if ETCD
    @OptionGroup(title: "etcd, an engine of “fenced”") var etcd: EtcdOptions
  #endif

  @Option(help: ArgumentHelp("What is added to the engine's numbers, after it was restored.", valueName: "number"))
  var fencesBeginAt: UInt64 = 0

  @Option(help: ArgumentHelp("A PostgreSQL server that grants access by its locks.", valueName: "parameters"))
  var locks: String?

  @Option(
    help: ArgumentHelp("What keys begin with there; programs that share a database have one each.", valueName: "text"))
  var locksPrefix = ""

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

  var kept: Duration { .milliseconds(keepAccess) }

  var name: String { isEtcdGiven ? "etcd" : locks == nil ? "none" : "PostgreSQL's locks" }
  var isGiven: Bool { isEtcdGiven || locks != nil }

  private var isEtcdGiven: Bool {
    #if ETCD
      return etcd.etcd != nil
    #else
      return false
    #endif
  }

  func validate() throws {
    if isEtcdGiven, locks != nil { throw ValidationError("--etcd and --locks are two engines: give one") }
    if validity < 1 { throw ValidationError("--validity is at least 1 second") }
    if patience < 0 { throw ValidationError("--patience is not negative") }
    if keepAccess < 0 { throw ValidationError("--keep-access is not negative") }
    if jobsPerAccess < 1 { throw ValidationError("--jobs-per-access is at least 1") }
    if fencesBeginAt > 1 << 62 { throw ValidationError("--fences-begin-at is at most 2^62") }
  }

  /// Starts the engine, if one is given; throws if it does not answer, or refuses this replica.
  func start(_ logger: Logger) async throws -> Engine? {
    let engine = try await begin(logger)
    try await engine?.check()
    return engine
  }

  private func begin(_ logger: Logger) async throws -> Engine? {
    #if ETCD
      if let cluster = etcd.cluster { return startEtcd(cluster, logger) }
    #endif
    guard let locks else { return nil }
    return try await startPostgres(locks, logger)
  }

  private func startPostgres(_ parameters: String, _ logger: Logger) async throws -> Engine {
    let limits = PostgresLimits(validity: .seconds(validity), patience: .milliseconds(patience))
    let link = try await LibpqLink.connect(parameters, within: limits.patience)
    try await link.query(PostgresAccess.schema, [], within: limits.patience)
    await link.close()
    let access = PostgresAccess(limits: limits, numbersBeginAt: fencesBeginAt, prefix: locksPrefix, logger: logger) {
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
