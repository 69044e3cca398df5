import Bank
import Foundation
import Servers

/// The service in one way, under load, stopped and looked at.
struct Trial: Sendable {
  /// How the service comes to its end, in the middle of the load.
  enum End: Sendable { case terminated, killed }

  var title: String
  var way: String
  var promise: Promise
  var isPostgres = false
  var arguments: [String] = []
  var end = End.terminated
  /// Whether requests have to be answered 503; otherwise none may be.
  var refuses = false
  var clients = 100

  func run(seconds: Int, mix: Mix, folder: String) async throws -> Finding {
    if !isPostgres {
      return try await run("\(folder)/\(UUID().uuidString).sqlite", seconds: seconds, mix: mix, folder: folder)
    }
    let server = try PostgresServer()
    try server.start()
    defer { server.remove() }
    try await server.answers()
    return try await run(server.parameters, seconds: seconds, mix: mix, folder: folder)
  }

  private func run(_ database: String, seconds: Int, mix: Mix, folder: String) async throws -> Finding {
    let log = "\(folder)/\(UUID().uuidString).log"
    let arguments = ["--database", database, "--way", way, "--accounts", "\(mix.accounts)"] + arguments
    let service = try ServiceProcess(arguments, log: log)
    var faults: [String] = []

    let left = try await leaveInTheMiddle(of: service)

    let play = Play(urls: [service.url], clients: clients, mix: mix)
    async let played: Void = play.run(for: .seconds(seconds + 30))
    try await Task.sleep(for: .seconds(seconds))
    let looking = BankClient(urls: [service.metricsURL], tally: Tally())
    let reads = try await looking.databaseReads()
    if try await looking.text("/waits").isEmpty { faults.append("/waits says nothing") }
    let counts = play.tally.counts

    switch end {
    case .terminated: service.terminate()
    case .killed: service.kill()
    }
    let status = await service.end()
    try await played
    if end == .terminated, status != 0 { faults.append("exit status \(status)") }
    if end == .killed { faults += try await startAgain(arguments, log: log + ".again") }
    faults += try service.errors()
    let refused = play.tally.counts.refused.count
    if !refuses, refused > 0 { faults.append("\(refused) writes were answered 503, perhaps while it stopped") }
    if refuses, refused == 0 { faults.append("no write was answered 503") }

    // What was acknowledged while it stopped counts too.
    let opened = try openDatabase(database)
    let audit = try await Audit(
      opened, acknowledged: play.tally.counts.acknowledged, refused: play.tally.counts.refused + [left])
    try await opened.close()
    var finding = Finding(
      way: title, promise: promise, counts, seconds: Double(seconds), databaseReads: reads,
      chain: Double(audit.hottest) / Double(max(1, play.tally.counts.nanoseconds.count)), audit)
    finding.faults += faults
    return finding
  }

  /// A client that leaves while its transfer has its turn: the transfer is cancelled, and is not done.
  private func leaveInTheMiddle(of service: ServiceProcess) async throws -> String {
    let client = BankClient(urls: [service.url], tally: Tally())
    let transfer = Transfer(
      id: "\(UUID())", from: Schema.name(0), to: Schema.name(1), amount: Approval.reviewedAmount)
    let asking = Task { _ = await client.send("POST", "/transfers", transfer) }
    try await service.logged("review of \(transfer.id) began")
    asking.cancel()
    await asking.value
    return transfer.id.text
  }

  /// After it was killed, it serves again, and stops as it should.
  private func startAgain(_ arguments: [String], log: String) async throws -> [String] {
    let service = try ServiceProcess(arguments, log: log)
    let client = BankClient(urls: [service.url], tally: Tally())
    let status = await client.transfer(Schema.name(0), Schema.name(1), 1)
    service.terminate()
    let ended = await service.end()
    var faults = try service.errors()
    if status != 201 { faults.append("a transfer after the restart was answered \(status ?? 0)") }
    if ended != 0 { faults.append("exit status \(ended) after the restart") }
    return faults
  }
}

extension BankClient {
  func databaseReads() async throws -> Int {
    let line = try await text("/metrics").split(separator: "\n").first { $0.hasPrefix("bank_database_reads") }
    return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
  }
}

extension PostgresServer {
  /// Returns when it answers, which takes a while after its start.
  func answers() async throws {
    let end = ContinuousClock.now + .seconds(20)
    let database = try openDatabase(parameters)
    while true {
      do {
        _ = try await database.rows("SELECT 1", [])
        return try await database.close()
      } catch {
        if ContinuousClock.now > end { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }
}
