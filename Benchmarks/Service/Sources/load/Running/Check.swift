import ArgumentParser
import Bank
import Foundation

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares a database with what clients were told, and fails if something is not so.")

  @Option(help: "A SQLite file, or the parameters of a PostgreSQL server.")
  var database: String

  @Option(help: ArgumentHelp("What “fleet” has written; once for each run.", valueName: "file"))
  var told: [String]

  @Option(help: ArgumentHelp("The name of a write that was refused; once for each.", valueName: "name"))
  var refused: [String] = []

  @Option(help: ArgumentHelp("Seconds in which something has to have been answered 503.", valueName: "from-to"))
  var refusedBetween: [String] = []

  @Option(help: ArgumentHelp("A second from which on something has to have been done.", valueName: "second"))
  var doneAfter: Int?

  func run() async throws {
    let all = try told.map {
      try JSONDecoder().decode(Tally.Counts.self, from: try Data(contentsOf: URL(filePath: $0)))
    }
    var counts = all[0]
    for other in all.dropFirst() {
      counts.acknowledged += other.acknowledged
      counts.refused += other.refused
    }
    let database = try openDatabase(database)
    let audit = try await Audit(
      database, acknowledged: counts.acknowledged, refused: counts.refused + refused, moments: counts.moments)
    try await database.close()
    var faults: [String] = []
    for span in refusedBetween {
      let ends = span.split(separator: "-").compactMap { Int($0) }
      let refused = counts.seconds.filter { $0.key >= ends[0] && $0.key <= ends[1] }.values.map(\.refused)
      if refused.reduce(0, +) == 0 { faults.append("nothing was answered 503 in seconds \(span)") }
    }
    if let doneAfter, counts.seconds.filter({ $0.key >= doneAfter }).values.map(\.done).reduce(0, +) == 0 {
      faults.append("nothing was done from second \(doneAfter) on")
    }
    let unexpected = counts.statuses.filter { ![200, 201, 404, 409, 503, 504].contains($0.key) }
    if !unexpected.isEmpty { faults.append("answers \(unexpected)") }
    let refusals = counts.statuses[503] ?? 0
    print(
      """
      acknowledged writes   \(audit.acknowledged), missing \(audit.missing.count), repeated \(audit.repeated.count)
      refused requests      \(refusals), done all the same \(audit.refusedAndDone.count)
      no answer             \(counts.broken) (\(counts.hungUp) hung up)
      lost updates          \(audit.lostUpdates)
      wrong balances        \(audit.wrongBalances), wrong notes \(audit.wrongNotes)
      fences out of order   \(audit.fencesOutOfOrder), writes out of order \(audit.outOfOrder)
      asked for again       \(counts.repeated)
      """)
    for fault in faults { print("NOT SO: \(fault)") }
    if !audit.isRight || !faults.isEmpty { throw ExitCode.failure }
  }
}
