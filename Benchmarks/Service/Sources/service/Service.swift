import ArgumentParser
import Bank
import Foundation
import Logging
import Metrics
import Observing
import SerialTasksTesting
import Serving

/// The bank, as a server.
@main struct Service: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Accounts with notes and balances, over HTTP.")

  enum Way: String, ExpressibleByArgument, CaseIterable {
    case plain, database, transaction, optimistic, serial, coalescing, fenced
  }

  @Option(help: "A SQLite file, made if there is none, or the parameters of a PostgreSQL server: “host=… dbname=…”.")
  var database: String

  @Option(help: ArgumentHelp("How many connections to PostgreSQL.", valueName: "number"))
  var connections = 10

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(help: "The port; 0 means any that is free, which is printed.")
  var port = 8080

  @Option(help: "The address at which the service tells about itself: /metrics, /waits, /health and /ready.")
  var metricsHost = "127.0.0.1"

  @Option(help: "The port of that address.")
  var metricsPort = 8081

  @Option(help: ArgumentHelp("How many connections at a time; one more is answered 503.", valueName: "number"))
  var maximumConnections = 10_000

  @Option(
    help: ArgumentHelp(
      "How much answers may hold that are not read yet; one for which there is no room is 503.", valueName: "MB"))
  var answers = 64

  @Option(
    help: ArgumentHelp(
      "How long a connection may be idle, and a client may take to send a request, or to go on reading an answer.",
      valueName: "seconds"))
  var clientPatience = 30

  @Option(help: "What keeps the order of requests; “fenced” is for several replicas, and needs an engine.")
  var way = Way.coalescing

  @Option(help: "The number of accounts of a new database.")
  var accounts = 20

  @Option(help: "How many requests may wait; one more is answered 503.")
  var capacity = 1_000

  @Option(
    help: ArgumentHelp(
      "How long a request may wait for its turn (default: 10000, and no limit with --watch-orders).",
      valueName: "milliseconds"))
  var waitingAtMost: Int?

  @Option(help: ArgumentHelp("How long accepted writes may take after SIGTERM.", valueName: "seconds"))
  var shutDownWithin = 10

  @Option(help: ArgumentHelp("How long it serves after SIGTERM, not ready any more.", valueName: "milliseconds"))
  var leavingFor = 0

  @Option(help: ArgumentHelp("How long the approval of a transfer takes elsewhere.", valueName: "milliseconds"))
  var approval = 5

  @OptionGroup(title: "The engine of “fenced”") var engine: EngineOptions

  /// A wait with a limit ends, and so is no part of a deadlock.
  @Flag(help: "Look for deadlocks that could have happened, and log each as an error at the end.")
  var watchOrders = false

  @Option(help: "The lowest level to log.")
  var logLevel = Logger.Level.info

  func validate() throws {
    for (option, value) in [("--port", port), ("--metrics-port", metricsPort)] where !(0...65_535).contains(value) {
      throw ValidationError("\(option) is 0 to 65535")
    }
    for (option, value, least) in [
      ("--connections", connections, 1), ("--accounts", accounts, 0), ("--capacity", capacity, 1),
      ("--waiting-at-most", waitingAtMost ?? 0, 0), ("--shut-down-within", shutDownWithin, 0),
      ("--leaving-for", leavingFor, 0), ("--approval", approval, 0), ("--maximum-connections", maximumConnections, 1),
      ("--client-patience", clientPatience, 1), ("--answers", answers, 1),
    ] where value < least { throw ValidationError("\(option) is at least \(least)") }
  }

  func run() async throws {
    // Not before all options are known to be there.
    if (way == .fenced) != engine.isGiven { throw ValidationError("--way fenced and an engine go together") }
    LoggingSystem.bootstrap { StreamLogHandler(label: $0, stream: LogLines()) }
    let metrics = MetricsPage()
    MetricsSystem.bootstrap(metrics)
    var logger = Logger(label: "bank")
    logger.logLevel = logLevel

    let store = try await Store(try openDatabase(database, connections: connections), accounts: accounts)
    let ledger = Ledger(
      store: store,
      approval: Approval(latency: .milliseconds(approval)) { [logger] in logger.notice("review of \($0) began") })
    let last = LastEvents(100)
    let limits = Limits(
      capacity: capacity, waiting: (waitingAtMost ?? (watchOrders ? nil : 10_000)).map { .milliseconds($0) },
      onEvent: Observing.all(logger: logger, of: way == .fenced ? ["accounts", "reads"] : ["accounts"], last: last))

    let engine = try await engine.start(logger)
    let chosen = way(ledger, limits, engine)
    let draining = Draining(chosen, store, within: .seconds(shutDownWithin), logger: logger) { await engine?.end() }
    let looking = Looking(store, metrics, last, Readiness(delay: .milliseconds(leavingFor))) {
      try await engine?.check()
    }
    // For the database, the engine, those who look, and files.
    let room = Crowd.room(for: maximumConnections, reserving: connections + 100)
    if room < maximumConnections {
      logger.warning("there are descriptors for \(room) connections only, not for \(maximumConnections)")
    }
    let crowd = Crowd(
      "clients", atMost: room, patience: .seconds(clientPatience), leaving: .seconds(shutDownWithin), logger: logger)
    let unread = Answers(atMost: answers << 20)
    look(metrics, chosen, store, crowd, unread)
    logger.info(
      "starts",
      metadata: [
        "way": "\(way)", "engine": "\(self.engine.name)", "capacity": "\(capacity)",
        "waiting": "\(limits.waiting.map { "\($0)" } ?? "no limit")", "connections": "\(room)",
        "answers": "\(answers) MB",
        "clients": "\(host):\(port)", "metrics": "\(metricsHost):\(metricsPort)",
      ])
    let server = Server(
      Routes(chosen, for: crowd, unread), at: Address(host: host, port: port),
      looking, at: Address(host: metricsHost, port: metricsPort), draining: draining, logger: logger)
    if !watchOrders { return try await server.run() }
    let found = try await potentialDeadlocks { try await server.run() }
    for deadlock in found { logger.error("\(deadlock)") }
  }

  /// What there is at the moment at which the page of metrics is asked for.
  private func look(
    _ metrics: MetricsPage, _ accounts: any Accounts, _ store: Store, _ crowd: Crowd, _ answers: Answers
  ) {
    metrics.look("connections") { Double(crowd.count) }
    metrics.look("answers_unread_bytes") { Double(answers.bytes) }
    metrics.look("bank_connections_busy") { Double(store.busy) }
    for name in accounts.jobs.keys {
      metrics.look("jobs_waiting_now", "executor=\"\(name)\"") { Double(accounts.jobs[name]?.waiting ?? 0) }
      metrics.look("jobs_running_now", "executor=\"\(name)\"") { Double(accounts.jobs[name]?.running ?? 0) }
    }
  }

  private func way(_ ledger: Ledger, _ limits: Limits, _ engine: Engine?) -> any Accounts {
    switch way {
    case .plain: PlainAccounts(ledger)
    case .database: DatabaseAccounts(ledger, .approvedBefore)
    case .transaction: DatabaseAccounts(ledger, .approvedInside)
    case .optimistic: DatabaseAccounts(ledger, .optimistic)
    case .serial: SerialAccounts(ledger, limits)
    case .coalescing: CoalescingAccounts(ledger, limits)
    case .fenced: engine!.accounts(ledger, limits)
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
