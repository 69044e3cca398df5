import ArgumentParser
import Foundation
import Servers

struct Ways: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts the service in each way, plays the same clients, stops it, and looks into its database.")

  @Flag(help: "About two minutes in all.")
  var quick = false

  @Option(help: "How many clients ask at a time.")
  var clients = 100

  @Option(help: "How many accounts there are; three of them are asked for most.")
  var accounts = 20

  @Option(help: ArgumentHelp("Only ways whose name contains this.", valueName: "text"))
  var filter: String?

  @Option(help: ArgumentHelp("Write the findings as JSON.", valueName: "file"))
  var json: String?

  @Flag(help: "Deadlocks that could have happened count as faults; requests then wait without a limit.")
  var watchOrders = false

  private var trials: [Trial] {
    [
      Trial(title: "plain actor", way: "plain", promise: .nothing),
      Trial(title: "SQLite, one transaction", way: "database", promise: .balances),
      Trial(title: "PostgreSQL, one transaction", way: "database", promise: .balances, isPostgres: true),
      Trial(title: "SQLite, BEGIN IMMEDIATE", way: "transaction", promise: .approval),
      Trial(title: "SQLite, version compared", way: "optimistic", promise: .approval),
      Trial(title: "SQLite, SerialTaskExecutor", way: "serial", promise: .approval),
      Trial(title: "SQLite, CoalescingTaskExecutor", way: "coalescing", promise: .approval),
      Trial(title: "PostgreSQL, FOR UPDATE", way: "transaction", promise: .approval, isPostgres: true),
      Trial(title: "PostgreSQL, version compared", way: "optimistic", promise: .approval, isPostgres: true),
      Trial(title: "PostgreSQL, CoalescingTaskExecutor", way: "coalescing", promise: .approval, isPostgres: true),
      Trial(
        title: "… with a short line", way: "coalescing", promise: .limits, arguments: ["--capacity", "8"],
        refuses: true),
      Trial(
        title: "… waiting at most 50 ms", way: "coalescing", promise: .limits, arguments: ["--waiting-at-most", "50"],
        refuses: true),
      Trial(title: "… killed, started again", way: "coalescing", promise: .limits, end: .killed),
    ]
  }

  /// An upstream that each request asks for itself, and one behind an executor.
  private func upstreamFindings() async -> [UpstreamTrial.Finding] {
    var findings: [UpstreamTrial.Finding] = []
    for isDirect in [true, false] {
      let upstream = Upstream()
      let counters: any Counters = isDirect ? DirectCounters(upstream: upstream) : CoalescingCounters(upstream)
      let title = isDirect ? "each request asks" : "CoalescingTaskExecutor"
      FileHandle.standardError.write(Data("upstream, \(title) …\n".utf8))
      findings.append(
        await UpstreamTrial(title: title, counters: counters, upstream: upstream)
          .run(seconds: quick ? 3 : 20, clients: clients))
    }
    return findings
  }

  func run() async throws {
    let folder = NSTemporaryDirectory() + "serial-tasks-service-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var findings: [Finding] = []
    for var trial in trials where filter.map(trial.title.contains) ?? true {
      if trial.isPostgres, PostgresServer.program == nil {
        FileHandle.standardError.write(Data("\(trial.title): not run, there is no PostgreSQL\n".utf8))
        continue
      }
      trial.clients = clients
      if watchOrders { trial.arguments.append("--watch-orders") }
      FileHandle.standardError.write(Data("\(trial.title) …\n".utf8))
      findings.append(try await trial.run(seconds: quick ? 4 : 20, mix: Mix(accounts: accounts), folder: folder))
    }
    let report = Report(findings, upstream: filter == nil ? await upstreamFindings() : [])
    print(report.table)
    try json.map { try report.encoded().write(to: URL(filePath: $0)) }
    let wrong = findings.filter { !$0.isRight }
    for finding in wrong { print("\nNOT RIGHT: \(finding.way): \(finding.audit)") }
    let upstreamIsRight = report.upstream.last.map { $0.lostUpdates == 0 && $0.stale == 0 } ?? true
    if !upstreamIsRight { print("\nNOT RIGHT: the counters of the upstream behind an executor") }
    if !wrong.isEmpty || !upstreamIsRight { throw ExitCode.failure }
  }
}
