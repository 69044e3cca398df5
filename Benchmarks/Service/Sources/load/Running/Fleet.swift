import ArgumentParser
import Bank
import Dispatch
import Foundation

struct Fleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays clients of several replicas that run already, and writes down what they were told.")

  @Option(help: "The address of a replica; once for each.")
  var replica: [String]

  @Option(help: "How long to play; less, if SIGTERM is sent.")
  var seconds = 10

  @Option(help: "How many clients ask at a time.")
  var clients = 32

  @Option(help: "How many accounts the clients use.")
  var accounts = 20

  @Flag(help: "Nothing but writes of one account each.")
  var writes = false

  @Flag(help: "Each account is written at one replica; otherwise at all of them.")
  var sticky = false

  @Flag(help: "Each account is written once at each replica, all at the same time.")
  var burst = false

  @Option(
    help: ArgumentHelp("How often a write that was not acknowledged is asked for again, elsewhere.", valueName: "times")
  )
  var again = 0

  @Option(help: ArgumentHelp("Where to write what clients were told.", valueName: "file"))
  var told: String

  func validate() throws {
    if accounts < 2, !writes, !burst { throw ValidationError("a transfer needs two accounts") }
  }

  func run() async throws {
    if burst { return try await runBurst() }
    let mix = Mix(accounts: accounts, isOnlyWrites: writes, isSticky: sticky)
    let play = Play(urls: replica, clients: clients, mix: mix, loss: .goElsewhere, repetitions: again)
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    source.setEventHandler { play.stop.isAsked.store(true, ordering: .relaxed) }
    source.resume()
    let begin = ContinuousClock.now
    try await play.run(for: .seconds(seconds))
    let took = ContinuousClock.now - begin
    source.cancel()
    let counts = play.tally.counts
    try JSONEncoder().encode(counts).write(to: URL(filePath: told))
    print(Double(counts.nanoseconds.count) / (took / .seconds(1)))
  }

  private func runBurst() async throws {
    let (http, tally, begin) = (BankClient.newHTTPClient(), Tally(), ContinuousClock.now)
    await withTaskGroup { group in
      for number in 0..<accounts {
        for first in replica.indices {
          let client = BankClient(urls: replica, http: http, tally: tally, repetitions: again).beginning(at: first)
          group.addTask {
            _ = await client.change("POST", note: UUID().uuidString, of: Schema.name(number), to: "")
          }
        }
      }
      await group.waitForAll()
    }
    let counts = tally.counts
    try await http.shutdown()
    try JSONEncoder().encode(counts).write(to: URL(filePath: told))
    let seconds = Int(((ContinuousClock.now - begin) / .seconds(1)).rounded())
    print(
      "\(counts.writes) acknowledged, \(counts.refused.count) refused, \(counts.repeated) asked again, in \(seconds) s")
    if counts.writes < accounts { throw ValidationError("less than a third was served") }
  }
}
