import ArgumentParser
import Bank
import Foundation

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares a database with what clients were told, and fails if something is not so.")

  @Option(help: "A SQLite file, or the parameters of a PostgreSQL server.")
  var database: String

  @Option(help: ArgumentHelp("What “fleet” or “each” has written; once for each run.", valueName: "file"))
  var told: [String]

  @Option(help: ArgumentHelp("The name of another write that was acknowledged; once for each.", valueName: "name"))
  var acknowledged: [String] = []

  @Option(help: ArgumentHelp("The name of a write that was refused; once for each.", valueName: "name"))
  var refused: [String] = []

  @Option(
    help: ArgumentHelp("Seconds since 1970 in which something has to have been answered 503.", valueName: "from-to"))
  var refusedBetween: [String] = []

  @Option(
    help: ArgumentHelp("A second since 1970, from which on clients of the first run were served.", valueName: "second"))
  var doneAfter: Int?

  func run() async throws {
    let all = try told.map {
      try JSONDecoder().decode(Tally.Counts.self, from: try Data(contentsOf: URL(filePath: $0)))
    }
    var counts = all[0]
    for other in all.dropFirst() { counts.add(other) }
    let database = try openDatabase(database)
    let audit = try await Audit(
      database, acknowledged: counts.acknowledged + acknowledged, refused: counts.refused + refused,
      moments: counts.moments)
    try await database.close()
    let faults = faults(counts, clients: all[0])
    print(
      """
      acknowledged writes   \(audit.acknowledged), missing \(audit.missing.count), repeated \(audit.repeated.count)
      refused requests      \(counts.statuses[503] ?? 0), done all the same \(audit.refusedAndDone.count)
      unknown, asked again  \(counts.statuses[504] ?? 0)
      no answer             \(counts.broken) (\(counts.hungUp) hung up), writes never answered \(counts.untold)
      lost updates          \(audit.lostUpdates)
      wrong balances        \(audit.wrongBalances), wrong notes \(audit.wrongNotes)
      fences out of order   \(audit.fencesOutOfOrder), writes out of order \(audit.outOfOrder)
      asked for again       \(counts.repeated)
      """)
    for fault in faults { print("NOT SO: \(fault)") }
    if !audit.isRight || !faults.isEmpty { throw ExitCode.failure }
  }

  /// Says what is wrong with what clients were told.
  private func faults(_ counts: Tally.Counts, clients: Tally.Counts) -> [String] {
    var faults: [String] = []
    for span in refusedBetween {
      let ends = span.split(separator: "-").compactMap { Int($0) }
      let refused = counts.seconds.filter { $0.key >= ends[0] && $0.key <= ends[1] }.values.map(\.refused)
      if refused.reduce(0, +) == 0 { faults.append("something was answered 503 in seconds \(span)") }
    }
    if let doneAfter, clients.seconds.filter({ $0.key >= doneAfter }).values.map(\.done).reduce(0, +) == 0 {
      faults.append("clients were served from second \(doneAfter) on")
    }
    let unexpected = counts.statuses.filter { ![200, 201, 404, 409, 503, 504].contains($0.key) }
    if !unexpected.isEmpty { faults.append("no other answers: \(unexpected)") }
    if counts.withoutRetryAfter > 0 {
      faults.append("each 503 has Retry-After: \(counts.withoutRetryAfter) do not")
    }
    if counts.stale > 0 { faults.append("a client reads what it has written: \(counts.stale) did not") }
    if counts.untold > 0 { faults.append("each client that stays is answered: \(counts.untold) were not") }
    return faults
  }
}
