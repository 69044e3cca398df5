import ArgumentParser
import Bank
import Foundation
import Servers

/// Replicas that run already, and what is asked of them.
struct Replicas: ParsableArguments {
  @Option(help: "The address of a replica; once for each.")
  var replica: [String]

  @Option(help: "How many accounts the clients use.")
  var accounts = 20

  @Option(
    help: ArgumentHelp("How often a write that was not acknowledged is asked for again, elsewhere.", valueName: "times")
  )
  var again = 0

  @Option(help: ArgumentHelp("Where to write what clients were told.", valueName: "file"))
  var told: String

  func tell(_ counts: Tally.Counts) throws { try JSONEncoder().encode(counts).write(to: URL(filePath: told)) }
}

struct Each: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes each account once at each replica, all at the same time, and fails if one was not written at all."
  )

  @OptionGroup var fleet: Replicas

  @Option(help: ArgumentHelp("The first account.", valueName: "number"))
  var first = 0

  @Option(
    help: ArgumentHelp(
      "How long a write is asked for again at its own replica; it fails unless all are acknowledged.",
      valueName: "seconds"))
  var within: Int?

  func run() async throws {
    let (http, tally, begin) = (HTTPClient(), Tally(), ContinuousClock.now)
    let written = await withTaskGroup { group in
      for number in first..<first + fleet.accounts {
        for index in fleet.replica.indices {
          let (account, replica) = (Schema.name(number), fleet.replica[index])
          let client =
            if let within {
              BankClient(
                urls: [replica], http: http, tally: tally, repetitions: .max, deadline: begin + .seconds(within))
            } else {
              BankClient(urls: fleet.replica, http: http, tally: tally, repetitions: fleet.again, isPatient: true)
                .beginning(at: index)
            }
          group.addTask {
            let isDone = await client.change("POST", note: UUID().uuidString, of: account, to: "") != nil
            return (account, replica, isDone)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let (counts, took) = (tally.counts, ContinuousClock.now - begin)
    try fleet.tell(counts)
    let milliseconds = Int(took / .milliseconds(1))
    print(
      """
      \(counts.writes) acknowledged, \(counts.refused.count) refused, \(counts.broken) without an answer, \
      \(counts.repeated) asked again, in \(milliseconds) ms; the slowest answer took \(counts.slowest / 1_000_000) ms
      """)
    try demand(written)
  }

  private func demand(_ written: [(account: Name, replica: String, isDone: Bool)]) throws {
    let done = Set(written.filter(\.isDone).map(\.account))
    let missing = written.filter { !$0.isDone && (within != nil || !done.contains($0.account)) }
    if missing.isEmpty { return }
    for (account, replica, _) in missing.prefix(20) { print("NOT SO: \(account) was written at \(replica)") }
    throw ExitCode.failure
  }
}
