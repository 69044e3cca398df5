import ArgumentParser
import Bank
import Foundation

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares a database with what clients were told, and fails if something is not so.")

  @Option(help: "The SQLite file.")
  var database: String

  @Option(help: ArgumentHelp("What “fleet” has written.", valueName: "file"))
  var told: String

  @Option(help: ArgumentHelp("The name of a write that was refused; once for each.", valueName: "name"))
  var refused: [String] = []

  @Option(help: ArgumentHelp("Seconds in which something has to have been answered 503.", valueName: "from-to"))
  var refusedBetween: [String] = []

  @Option(help: ArgumentHelp("A second from which on something has to have been done.", valueName: "second"))
  var doneAfter: Int?

  func run() async throws {
    let counts = try JSONDecoder().decode(Tally.Counts.self, from: try Data(contentsOf: URL(filePath: told)))
    let audit = try Audit(
      database: database, acknowledged: counts.acknowledged, refused: counts.refused + refused)
    var faults: [String] = []
    for span in refusedBetween {
      let ends = span.split(separator: "-").compactMap { Int($0) }
      let refused = counts.seconds.filter { $0.key >= ends[0] && $0.key <= ends[1] }.values.map(\.refused)
      if refused.reduce(0, +) == 0 { faults.append("nothing was answered 503 in seconds \(span)") }
    }
    if let doneAfter, counts.seconds.filter({ $0.key >= doneAfter }).values.map(\.done).reduce(0, +) == 0 {
      faults.append("nothing was done from second \(doneAfter) on")
    }
    let unexpected = counts.statuses.filter { ![200, 201, 404, 409, 503].contains($0.key) }
    if !unexpected.isEmpty { faults.append("answers \(unexpected)") }
    let refusals = counts.statuses[503] ?? 0
    print(
      """
      acknowledged writes   \(audit.acknowledged), missing \(audit.missing.count), repeated \(audit.repeated.count)
      refused requests      \(refusals), done all the same \(audit.refusedAndDone.count)
      no answer             \(counts.broken) (\(counts.hungUp) hung up)
      lost updates          \(audit.lostUpdates)
      wrong balances        \(audit.wrongBalances), wrong notes \(audit.wrongNotes)
      fences out of order   \(audit.fencesOutOfOrder)
      """)
    for fault in faults { print("NOT SO: \(fault)") }
    if !audit.isRight || !faults.isEmpty { throw ExitCode.failure }
  }
}
