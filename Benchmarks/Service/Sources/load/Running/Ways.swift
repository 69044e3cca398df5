import ArgumentParser
import Foundation

struct Ways: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts the service in each way, plays the same clients, stops it, and looks into its database.")

  @Flag(help: "Less than two minutes in all.")
  var quick = false

  @Option(help: "How many clients ask at a time.")
  var clients = 100

  @Option(help: "How many accounts there are; three of them are asked for most.")
  var accounts = 20

  @Option(help: ArgumentHelp("Only ways whose name contains this.", valueName: "text"))
  var filter: String?

  @Option(help: ArgumentHelp("Write the findings as JSON.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Write the findings as a page with charts.", valueName: "file"))
  var html: String?

  private var trials: [Trial] {
    [
      Trial(title: "plain actor", way: "plain", mustBeRight: false),
      Trial(title: "database only", way: "database"),
      Trial(title: "SerialTaskExecutor", way: "serial"),
      Trial(title: "CoalescingTaskExecutor", way: "coalescing"),
      Trial(title: "… with a short line", way: "coalescing", arguments: ["--capacity", "8"], refuses: true),
      Trial(
        title: "… waiting at most 50 ms", way: "coalescing", arguments: ["--waiting-at-most", "50"], refuses: true),
      Trial(title: "… killed, started again", way: "coalescing", end: .killed),
    ]
  }

  func run() async throws {
    let folder = NSTemporaryDirectory() + "serial-tasks-service-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var findings: [Finding] = []
    for var trial in trials where filter.map(trial.title.contains) ?? true {
      trial.clients = clients
      FileHandle.standardError.write(Data("\(trial.title) …\n".utf8))
      findings.append(try await trial.run(seconds: quick ? 5 : 20, mix: Mix(accounts: accounts), folder: folder))
    }
    let report = Report(findings)
    print(report.table)
    try json.map { try report.encoded().write(to: URL(filePath: $0)) }
    try html.map { try Data(report.page.utf8).write(to: URL(filePath: $0)) }
    let wrong = findings.filter { !$0.isRight }
    for finding in wrong { print("\nNOT RIGHT: \(finding.way): \(finding.audit)") }
    if !wrong.isEmpty { throw ExitCode.failure }
  }
}
