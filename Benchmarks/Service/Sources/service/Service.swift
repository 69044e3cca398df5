import ArgumentParser
import Bank
import Etcd
import Foundation
import Logging
import Metrics
import Observing
import Serving

/// The bank, as a server.
@main struct Service: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Accounts with notes and balances, over HTTP on 127.0.0.1.")

  enum Way: String, ExpressibleByArgument, CaseIterable { case plain, database, serial, coalescing, fenced }

  @Option(help: "The SQLite file; it is made if there is none.")
  var database: String

  @Option(help: "The port; 0 means any that is free, which is printed.")
  var port = 8080

  @Option(help: "What keeps the order of requests; “fenced” is for several replicas, and needs --etcd.")
  var way = Way.coalescing

  @Option(help: "The number of accounts of a new database.")
  var accounts = 20

  @Option(help: "How many requests may wait; one more is answered 503.")
  var capacity = 1_000

  @Option(help: ArgumentHelp("How long a request may wait for its turn.", valueName: "milliseconds"))
  var waitingAtMost = 10_000

  @Option(help: ArgumentHelp("How long accepted writes may take after SIGTERM.", valueName: "seconds"))
  var shutDownWithin = 10

  @Option(help: ArgumentHelp("How long the approval of a transfer takes elsewhere.", valueName: "milliseconds"))
  var approval = 5

  @Option(help: ArgumentHelp("The gateways of an etcd cluster, with commas.", valueName: "addresses"))
  var etcd: String?

  @Option(help: ArgumentHelp("How long etcd waits for a replica that it does not hear.", valueName: "seconds"))
  var validity = 5

  @Option(help: "The lowest level to log.")
  var logLevel = Logger.Level.info

  func validate() throws {
    if (way == .fenced) != (etcd != nil) { throw ValidationError("--way fenced and --etcd go together") }
    if let etcd, EtcdClient.endpoints(in: etcd) == nil {
      throw ValidationError("--etcd needs addresses such as http://127.0.0.1:2379, with commas, and got “\(etcd)”")
    }
  }

  func run() async throws {
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    let metrics = MetricsPage()
    MetricsSystem.bootstrap(metrics)
    var logger = Logger(label: "bank")
    logger.logLevel = logLevel

    let store = try Store(path: database, accounts: accounts)
    let ledger = Ledger(
      store: store,
      approval: Approval(latency: .milliseconds(approval)) { [logger] in logger.notice("review of \($0) began") })
    let observing = Observing.all(logger: logger)
    let limits = Limits(capacity: capacity, waiting: .milliseconds(waitingAtMost), onEvent: observing)

    let (chosen, end) = way(ledger, limits)
    let draining = Draining(chosen, store, within: .seconds(shutDownWithin), logger: logger, end: end)
    let server = Server(Routes(chosen), Looking(store, metrics), port: port, draining: draining, logger: logger)
    try await server.run()
  }

  private func way(_ ledger: Ledger, _ limits: Limits) -> (any Accounts, @Sendable () async -> Void) {
    switch way {
    case .plain: return (PlainAccounts(ledger), {})
    case .database: return (DatabaseAccounts(ledger), {})
    case .serial: return (SerialAccounts(ledger, limits), {})
    case .coalescing: return (CoalescingAccounts(ledger, limits), {})
    case .fenced:
      let client = EtcdClient(EtcdClient.endpoints(in: etcd!)!)
      let access = EtcdAccess(client, validity: .seconds(validity))
      return (
        FencedAccounts(ledger, limits, access: access),
        {
          await access.end()
          try? await client.shutDown()
        }
      )
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
